"""Reads orders, adds the tax, and writes the results: outputs and offsets of the inputs in
one transaction, so that each order has its effect once. What is no order goes to
dead-letters in the same transaction; where a service that it needs does not answer it
aborts, and reads the same orders again.

    python docs/workbook/examples/python/order_processor.py 127.0.0.1:9092
"""

import json
import os
import sys
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition

INPUT, OUTPUT, DEAD_LETTERS = "incoming-orders", "processed-orders", "dead-letters"
SECONDS = 30  # for each step that waits for the cluster


class NoAnswer(Exception):
    """A service does not answer now, and may later."""


def main():
    orders = write_input()
    # kcompare:region config
    producer = Producer(
        {
            "bootstrap.servers": servers(),
            "transactional.id": "workbook-order-processor",  # one for each instance that runs at the same time
        }
    )
    consumer = Consumer(
        {
            "bootstrap.servers": servers(),
            "group.id": "workbook-order-processor",
            "enable.auto.commit": False,  # the transaction has the offsets
            "isolation.level": "read_committed",  # the default; inputs may come from transactions, too
            "auto.offset.reset": "earliest",  # a new group begins at the start
        }
    )
    # kcompare:end
    settle(producer.init_transactions)  # fences older instances, and ends what they left open
    try:
        consumer.subscribe([INPUT])
        Processor(producer, consumer).run(orders)
        show()
        show_offsets(consumer)
    finally:
        consumer.close()


class Processor:
    def __init__(self, producer, consumer):
        self.producer, self.consumer, self.tax = producer, consumer, TaxService()

    def run(self, orders):
        """Ends when so many are done; a real one, when it is told to."""
        handled, deadline = 0, time.monotonic() + 2 * SECONDS
        while handled < orders:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{handled} of {orders} orders are done after {2 * SECONDS} s")
            batch = self.consumer.consume(num_messages=100, timeout=0.5)
            inputs = [message for message in batch if message.error() is None]
            for message in batch:
                if message.error() is not None and message.error().fatal():
                    raise KafkaException(message.error())
            if inputs and self.handle(inputs):
                handled += len(inputs)

    # kcompare:region transaction
    def handle(self, inputs):
        """One transaction: the results of some inputs and the offsets of those inputs.

        True if it was committed. An exception means that this instance has to end, as after
        another one has fenced it.
        """
        # Asked for now: after a long pause the library may be in the group again, and not fenced.
        group = self.consumer.consumer_group_metadata()
        self.producer.begin_transaction()
        try:
            self.write(inputs)
            self.send_offsets(inputs, group)
            self.commit()
        except NoAnswer as reason:
            self.abort(inputs, reason)
        except KafkaException as reason:
            if reason.args[0].fatal():
                raise
            self.abort(inputs, reason)
        else:
            return True
        return False

    def write(self, inputs):
        """Sends the output of each input, and waits for every report."""
        failed = []

        def delivered(error, _message):
            if error is not None:
                failed.append(error)

        for message in inputs:
            topic, value, headers = self.process(message)
            self.producer.produce(topic, key=message.key(), value=value, headers=headers, on_delivery=delivered)
        left = self.producer.flush(SECONDS)
        if failed or left:
            raise KafkaException(failed[0] if failed else KafkaError(KafkaError._TIMED_OUT, f"{left} without a report"))

    # kcompare:end

    # kcompare:region process
    def process(self, message):
        """The topic, value and headers of an output.

        Only what may pass raises: with what will never be an order the program would turn
        round for ever.
        """
        try:
            amount = json.loads(message.value())["amount"]  # in cents: money is no float
        except (ValueError, KeyError, TypeError):
            amount = None
        if type(amount) is not int:
            return dead_letter(message, "no order")
        if amount <= 0:
            return dead_letter(message, "the amount is not positive")
        tax = self.tax.of(message.key().decode(), amount)
        value = {"amount": amount, "tax": tax, "total": amount + tax}
        return OUTPUT, json.dumps(value, separators=(",", ":")), []

    # kcompare:end

    # kcompare:region offsets
    def send_offsets(self, inputs, group):
        """Puts the offsets into the transaction: of each partition that of the last input, and
        one, which is where whoever comes next begins. The metadata of the group fence members
        that a rebalance has left behind.
        """
        following = {}
        for message in inputs:  # in the order of their offsets
            following[message.partition()] = TopicPartition(INPUT, message.partition(), message.offset() + 1)
        settle(lambda limit: self.producer.send_offsets_to_transaction(list(following.values()), group, limit))

    # kcompare:end

    # kcompare:region commit
    def commit(self):
        settle(self.producer.commit_transaction)

    # kcompare:end

    # kcompare:region abort
    def abort(self, inputs, reason):
        """Also goes back to the first input of each partition: the consumer stands behind the
        last one, and would skip them all.
        """
        settle(self.producer.abort_transaction)
        print(f"aborted, {reason}")
        first = {}
        for message in inputs:
            first.setdefault(message.partition(), message.offset())
        for assigned in self.consumer.assignment():  # what another member has now begins at the committed offset
            if assigned.partition in first:
                self.consumer.seek(TopicPartition(INPUT, assigned.partition, first[assigned.partition]))

    # kcompare:end


def dead_letter(message, reason):
    """The input as it came, and why it is there."""
    return DEAD_LETTERS, message.value(), [("reason", reason)]


def settle(step):
    """After a retriable error (a timeout, say) nobody knows how a step ended: the same step again goes on with it."""
    deadline = time.monotonic() + 2 * SECONDS
    while True:
        try:
            return step(SECONDS)
        except KafkaException as failure:
            if not failure.args[0].retriable() or time.monotonic() > deadline:
                raise


class TaxService:
    """Does not answer when it is asked about order-4 for the first time."""

    asked = False

    def of(self, order, amount):
        if order == "order-4" and not self.asked:
            self.asked = True
            raise NoAnswer(f"{order}: the tax service does not answer")
        return (amount + 5) // 10  # 10 %, rounded


def write_input():
    """Says how many orders it wrote, to both partitions."""
    producer = Producer({"bootstrap.servers": servers(), "enable.idempotence": True})
    failed = []
    amounts = ["1000", "2500", "-500", "4000", "995", '"ten"']
    for i, amount in enumerate(amounts):
        producer.produce(
            INPUT,
            partition=i % 2,
            key=f"order-{i + 1}",
            value=f'{{"amount":{amount}}}',
            on_delivery=lambda error, _message: failed.append(error) if error else None,
        )
    left = producer.flush(SECONDS)
    if failed or left:
        raise RuntimeError(f"the input was not written: {failed}, {left} without a report")
    return len(amounts)


# kcompare:region read
def show():
    """Prints what readers of committed records get, in the order of the keys."""
    reader = Consumer(
        {
            "bootstrap.servers": servers(),
            "group.id": "workbook-reader",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",  # the default
            "enable.partition.eof": True,  # says when an end is reached
        }
    )
    found = {OUTPUT: [], DEAD_LETTERS: []}
    ended, deadline = set(), time.monotonic() + SECONDS
    try:
        reader.assign([TopicPartition(topic, 0, OFFSET_BEGINNING) for topic in found])
        while len(ended) < len(found):
            message = reader.poll(1)
            if time.monotonic() > deadline:
                raise TimeoutError(f"the ends of {list(found)} were not reached within {SECONDS} s")
            if message is None:
                continue
            if message.error() is None:
                found[message.topic()].append(line(message))
            elif message.error().code() == KafkaError._PARTITION_EOF:
                ended.add(message.topic())
            elif message.error().fatal():
                raise KafkaException(message.error())
    finally:
        reader.close()
    for topic, lines in found.items():
        print(topic, *sorted(lines), sep="\n")


def line(message):
    reasons = "".join(f" ({value.decode()})" for _, value in message.headers() or [])
    return f"  {message.key().decode()}: {message.value().decode()}{reasons}"


# kcompare:end


def show_offsets(consumer):
    print(f"committed offsets of {INPUT}")
    for at in sorted(consumer.committed(consumer.assignment(), timeout=SECONDS), key=lambda at: at.partition):
        print(f"  partition {at.partition}: {at.offset}")


def servers():
    """The first argument, or what the environment says."""
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    main()
