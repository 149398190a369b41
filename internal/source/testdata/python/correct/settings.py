"""Settings of the sample services."""
from pathlib import Path
import os

ENVIRONMENT = os.getenv("ENVIRONMENT", "dev")
MINUTE = 60 * 1000

KAFKA = {"servers": os.getenv("KAFKA_SERVERS", "localhost:9092")}

CONSUMER = {
    "bootstrap.servers": KAFKA["servers"],
    "group.id": f"billing-{ENVIRONMENT}",
    "auto.offset.reset": "earliest",
    "max.poll.interval.ms": 10 * MINUTE,
    "session.timeout.ms": 45_000,
}
SECURITY = {
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.username": os.environ.get("KAFKA_USER"),
    "sasl.password": os.environ.get("KAFKA_PASSWORD"),
    "ssl.ca.location": str(Path("/etc/ssl") / "kafka.pem"),
}
if ENVIRONMENT != "dev":
    CONSUMER.update(SECURITY)
