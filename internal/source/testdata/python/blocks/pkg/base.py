"""Shared settings."""
LINGER = 10
BASE = {
    "bootstrap.servers": "localhost:9092",
    "client.id": "é-client",  # a character of two bytes: columns count characters
}
