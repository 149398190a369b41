"""Sends a hundred orders and prints what the library told of them, and by which name.

python docs/workbook/examples/python/monitoring.py 127.0.0.1:9092
"""

import json
import os
import sys
import time

from confluent_kafka import Producer

ORDERS = 100


def main():
    seen = Figures()
    # kcompare:region config
    producer = Producer(
        {
            "bootstrap.servers": servers(),
            "enable.idempotence": True,
            "delivery.timeout.ms": 20000,
            "statistics.interval.ms": 200,  # 0, the default, is none; minutes are usual
            "stats_cb": seen.told,  # called from poll and flush
        }
    )
    # kcompare:end
    for n in range(ORDERS):
        producer.produce("orders", value=f"order-{n}", on_delivery=seen.delivered)
    deadline = time.monotonic() + 30
    while not seen.complete():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{seen.acknowledged + seen.failed} of {ORDERS} orders have a report after 30 s")
        producer.poll(0.1)
    seen.print()


class Figures:
    # kcompare:region outcome
    """What delivery reports and statistics tell. STATISTICS.md of librdkafka has all names."""

    def __init__(self):
        self.acknowledged = self.failed = 0
        self.statistics = {}

    def delivered(self, error, _message):
        if error is None:
            self.acknowledged += 1
        else:
            self.failed += 1

    def told(self, text):
        self.statistics = json.loads(text)

    def complete(self):
        """Whether all orders have a report and statistics know of them."""
        if self.acknowledged + self.failed < ORDERS or not self.statistics:
            return False
        sent, waiting = self.statistics["txmsgs"], self.statistics["msg_cnt"]
        return waiting == 0 and sent + self.failed >= ORDERS and self.answers() > 0

    def again(self):
        return sum(b["txretries"] for b in self.statistics["brokers"].values())

    def answers(self):
        return sum(b["rtt"]["cnt"] for b in self.statistics["brokers"].values())

    # kcompare:end

    # kcompare:region print
    def print(self):
        print(f"sent: {self.statistics['txmsgs']} (txmsgs)")
        print(f"acknowledged: {self.acknowledged} (delivery reports)")
        print(f"failed: {self.failed} (delivery reports)")
        print(f"waiting: {self.statistics['msg_cnt']} (msg_cnt)")
        print(f"sent again: {self.again()} (txretries)")
        print(f"time of a request is told: {str(self.answers() > 0).lower()} (rtt)")

    # kcompare:end


def servers():
    """The first argument, or what the environment says."""
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    main()
