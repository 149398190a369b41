"""Registers a connector: its settings are Connect's, not a client's."""
import requests

KAFKA_CONNECT = "http://localhost:8083"
CONNECTOR = {
    "name": "files",
    "config": {
        "connector.class": "FileStreamSource",
        "tasks.max": "1",
        "file": "/tmp/in",
        "topic": "lines",
        "producer.override.linger.ms": "100",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    },
}
requests.post(KAFKA_CONNECT + "/connectors", json=CONNECTOR, timeout=10).raise_for_status()
