from dataclasses import dataclass, field


class Defaults:
    SERVERS = "kafka-1:9092,kafka-2:9092"
    PRODUCER = {"bootstrap.servers": SERVERS, "acks": "all", "compression.type": "zstd"}


@dataclass
class Settings:
    servers: str = Defaults.SERVERS
    linger: float = 5
    extra: dict = field(default_factory=dict)

    def producer(self):
        return {"bootstrap.servers": self.servers, "linger.ms": self.linger, **self.extra}
