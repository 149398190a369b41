import hashlib
import logging

from confluent_kafka import KafkaException, Producer

from .conf import Defaults, Settings
from shop.conf import Defaults as Same

log = logging.getLogger(__name__)
PARTITIONS = 12


class Orders(Producer):
    """A producer with one more method."""

    def __init__(self, settings: Settings):
        super().__init__({**Defaults.PRODUCER, **settings.extra})

    def order(self, number, payload):
        partition = int.from_bytes(hashlib.sha256(number.encode()).digest()[:4], "big") % PARTITIONS
        self.produce("orders", payload, number, partition, self.done)

    def done(self, err, msg):
        if err:
            log.error("order %s: %s", msg.key(), err)

    def metrics(self):
        return {"queued": len(self)}


def place(orders: Orders, items):
    for number, payload in items:
        orders.order(number, payload)
    log.info("%s", orders.metrics())
    left = orders.flush(30)
    if left:
        raise KafkaException(f"{left} orders are not sent")


def transactional(shard, servers=Same.SERVERS):
    p = Producer({"bootstrap.servers": servers, "transactional.id": f"orders-{shard}"})
    p.init_transactions()
    return p
