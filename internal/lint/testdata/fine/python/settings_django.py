"""Django settings: Kafka's among all the others."""
import os
from pathlib import Path

import environ

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = env("DJANGO_SECRET_KEY")
DEBUG = env.bool("DEBUG", False)
INSTALLED_APPS = ["django.contrib.admin", "django.contrib.auth", "orders"]
DATABASES = {
    "default": {"ENGINE": "django.db.backends.postgresql", "NAME": "orders", "OPTIONS": {"connect_timeout": 5}},
}
LOGGING = {
    "version": 1,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "loggers": {"kafka.conn": {"level": "WARNING"}, "aiokafka": {"level": "INFO"}},
}
KAFKA = {
    "bootstrap.servers": env("KAFKA_BOOTSTRAP_SERVERS", default="localhost:9092"),
    "security.protocol": env("KAFKA_SECURITY_PROTOCOL", default="SASL_SSL"),
    "sasl.mechanisms": "SCRAM-SHA-512",
    "sasl.username": env("KAFKA_USER", default=""),
    "sasl.password": env("KAFKA_PASSWORD", default=""),
    "ssl.ca.location": str(BASE_DIR / "ca.pem"),
}
KAFKA_PRODUCER = {**KAFKA, "acks": "all", "enable.idempotence": True, "linger.ms": 5}
KAFKA_CONSUMER = {
    **KAFKA,
    "group.id": "orders",
    "auto.offset.reset": "earliest",
    "enable.auto.commit": False,
    "session.timeout.ms": 45000,
    "heartbeat.interval.ms": 3000,
}
KAFKA_TOPICS = {"orders": {"num_partitions": 12, "replication_factor": 3, "config": {"cleanup.policy": "compact", "min.insync.replicas": "2"}}}
CELERY_BROKER_URL = env("CELERY_BROKER_URL", default="redis://localhost:6379/0")
CELERY_TASK_ACKS_LATE = True
