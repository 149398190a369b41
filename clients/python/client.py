"""kcompare's client program for confluent-kafka, the Python binding of librdkafka.

It speaks clients/PROTOCOL.md on stdin and stdout. Each client has a thread that serves
its requests, one after the other; a producer has a second one that polls, because
librdkafka hands out delivery reports, errors and log lines to whoever does. Bulks are
served in the main thread, as in a program that has no other, which polls for itself.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import platform
import queue
import re
import sys
import threading
import time
import traceback
from array import array
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from typing import Any

import confluent_kafka
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

ABILITIES = [
    "idempotence",
    "transactions",
    "groups",
    "rebalances",
    "store",
    "plain-close",
    "bulk",
    "paced",
    "bulk-transactions",
]

# The binding makes no consumer without a group. Nothing is ever committed to this one.
PLACEHOLDER_GROUP = "kcompare-no-group"

POLL_SECONDS = 0.1  # how soon a waiting call sees that its client is being closed
FLUSH_SECONDS = 0.05
ROOM_SECONDS = 0.005  # how often a record that found the queue full is offered again
RUN_SECONDS = 0.1  # how long reports wait to become runs
WORTHWHILE = 20  # records of a run, on average
TOGETHER = 1000  # records whose reports are counted together
LATENCY_UNKNOWN = 0xFFFFFFFF
POLL_LIMIT = 1000  # records in one answer

# These tell nothing about whether a record was written: a request was or may have been
# sent, and no answer came that decides it (rdkafka_request.c, MSG_POSSIBLY_PERSISTED).
OUTCOME_UNKNOWN = frozenset(
    """_MSG_TIMED_OUT _TIMED_OUT _TIMED_OUT_QUEUE _TRANSPORT _SSL _PURGE_INFLIGHT _PURGE_QUEUE _DESTROY
    _DESTROY_BROKER _FAIL _BAD_MSG REQUEST_TIMED_OUT NOT_ENOUGH_REPLICAS_AFTER_APPEND NETWORK_EXCEPTION
    OUT_OF_ORDER_SEQUENCE_NUMBER DUPLICATE_SEQUENCE_NUMBER UNKNOWN_SERVER_ERROR""".split()
)
# These refuse a call or a record for now.
REFUSED_FOR_NOW = frozenset(
    """_QUEUE_FULL _WAIT_COORD _CONFLICT _PREV_IN_PROGRESS _RETRY _ALL_BROKERS_DOWN _RESOLVE _ISR_INSUFF _WAIT_CACHE
    _MAX_POLL_EXCEEDED CORRUPT_MESSAGE UNKNOWN_TOPIC_OR_PARTITION LEADER_NOT_AVAILABLE NOT_LEADER_FOR_PARTITION
    BROKER_NOT_AVAILABLE REPLICA_NOT_AVAILABLE NOT_ENOUGH_REPLICAS KAFKA_STORAGE_ERROR COORDINATOR_LOAD_IN_PROGRESS
    COORDINATOR_NOT_AVAILABLE NOT_COORDINATOR CONCURRENT_TRANSACTIONS UNKNOWN_PRODUCER_ID THROTTLING_QUOTA_EXCEEDED
    FENCED_LEADER_EPOCH UNKNOWN_LEADER_EPOCH OFFSET_NOT_AVAILABLE REBALANCE_IN_PROGRESS ILLEGAL_GENERATION
    UNKNOWN_MEMBER_ID UNSTABLE_OFFSET_COMMIT""".split()
)
# These fail a transaction where delivery reports tell them, without txn_requires_abort.
ABORTABLE = frozenset("TRANSACTION_ABORTABLE INVALID_TXN_STATE INVALID_PRODUCER_ID_MAPPING _INCONSISTENT".split())
FENCING = frozenset("_FENCED PRODUCER_FENCED FENCED_INSTANCE_ID".split())
# librdkafka goes on by itself after these; it tells them for a program's log.
INFORMATIONAL = frozenset("_TRANSPORT _ALL_BROKERS_DOWN _RESOLVE _SSL _TIMED_OUT _MSG_TIMED_OUT".split())

# Errors of the protocol for which librdkafka has a name of its own, by Kafka's.
KAFKA_NAMES = {
    "UNKNOWN": "UNKNOWN_SERVER_ERROR",
    "INVALID_MSG": "CORRUPT_MESSAGE",
    "UNKNOWN_TOPIC_OR_PART": "UNKNOWN_TOPIC_OR_PARTITION",
    "INVALID_MSG_SIZE": "INVALID_FETCH_SIZE",
    "MSG_SIZE_TOO_LARGE": "MESSAGE_TOO_LARGE",
    "STALE_CTRL_EPOCH": "STALE_CONTROLLER_EPOCH",
    "TOPIC_EXCEPTION": "INVALID_TOPIC_EXCEPTION",
}

Request = dict[str, Any]
Answer = dict[str, Any]


class Failure(Exception):
    """What is answered in place of a result."""

    def __init__(self, kind: str, code: str, text: str, **members: Any) -> None:
        super().__init__(text)
        self.line = {"class": kind, "code": code, "text": text, **members}


def code_of(error: KafkaError) -> str:
    return KAFKA_NAMES.get(error.name(), error.name())


def call_class(error: KafkaError) -> str:
    """Calls may be repeated, so one that did not get through is retriable."""
    code = code_of(error)
    if code in FENCING:
        return "fenced"
    if error.fatal() or code == "_FATAL":
        return "fatal"
    if error.txn_requires_abort():
        return "abortable"
    if error.retriable() or code in OUTCOME_UNKNOWN or code in REFUSED_FOR_NOW:
        return "retriable"
    return "application"


def delivery_class(error: KafkaError, transactional: bool) -> str:
    """Classifies a delivery report, where retriable() is always false."""
    code = code_of(error)
    if code in OUTCOME_UNKNOWN:
        return "unknown-outcome"
    if code in FENCING or (code == "INVALID_PRODUCER_EPOCH" and transactional):
        return "fenced"
    if error.fatal() or code == "_FATAL":
        return "fatal"
    if code in ABORTABLE and transactional:
        return "abortable"
    if code in REFUSED_FOR_NOW or code == "INVALID_PRODUCER_EPOCH":
        return "retriable"
    return "application"


def call_failure(exception: Exception) -> Failure:
    """The binding has KafkaError in its exceptions, and Python's own for arguments."""
    if isinstance(exception, KafkaException):
        error = exception.args[0]
        return Failure(call_class(error), code_of(error), error.str())
    return Failure("application", type(exception).__name__, str(exception))


class Output:
    """Lines to kcompare, from any thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def write(self, *lines: dict[str, Any]) -> None:
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        with self.lock:
            sys.stdout.write(text)
            sys.stdout.flush()

    def answer(self, request: Request, call: Callable[[Request], Answer | None]) -> None:
        try:
            result = call(request) or {}
        except Failure as failure:
            result = {"error": failure.line}
        except Exception as exception:
            result = {"error": call_failure(exception).line}
        self.write({"id": request["id"], **result})

    def logger(self, handle: str) -> logging.Logger:
        """A logger whose lines become log lines of the protocol."""
        output = self

        class ToOutput(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                output.write({"log": record.getMessage(), "handle": handle})

        logger = logging.Logger(handle)
        logger.addHandler(ToOutput())
        return logger


class MainThread:
    """Calls what benchmarks measure: the same loop is slower by a sixth in other threads (librdkafka 2.16.0)."""

    def __init__(self) -> None:
        self.calls: queue.SimpleQueue[tuple[Callable[[], Answer], Future[Answer]]] = queue.SimpleQueue()
        self.busy = threading.Lock()

    def call(self, function: Callable[[], Answer]) -> Answer:
        """May be asked by any thread, and calls there what would have to wait for another call."""
        if not self.busy.acquire(blocking=False):
            return function()
        try:
            answer: Future[Answer] = Future()
            self.calls.put((function, answer))
            return answer.result()
        finally:
            self.busy.release()

    def serve(self) -> None:
        while True:
            function, answer = self.calls.get()
            try:
                answer.set_result(function())
            except Exception as exception:
                answer.set_exception(exception)


main_thread = MainThread()


def to_bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def to_text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def seconds(request: Request) -> float:
    return request["timeout_ms"] / 1000


def to_library(positions: Iterable[list]) -> list[TopicPartition]:
    return [TopicPartition(*position) for position in positions]


def checked(partitions: list[TopicPartition]) -> list[TopicPartition]:
    for p in partitions:
        if p.error is not None:
            raise KafkaException(p.error)
    return partitions


def configuration(role: str, request: Request) -> dict[str, Any]:
    """Canonical settings are librdkafka's own; what the options ask for is added."""
    conf = dict(request["settings"])
    if conf.get("delivery.report.only.error") == "true":
        raise Failure(
            "unsupported",
            "",
            "nothing would be reported of records that were written",
            key="delivery.report.only.error",
        )
    if request.get("one_record_per_batch"):
        conf["batch.num.messages"] = "1"
    if role == "consumer":
        group = conf.setdefault("group.id", PLACEHOLDER_GROUP)
        if not request.get("bare") or group == PLACEHOLDER_GROUP:
            conf.setdefault("enable.auto.commit", "false")  # librdkafka would
    return conf


def construct(make: Callable[..., Any], conf: dict[str, Any], logger: logging.Logger) -> Any:
    """Turns the error for a setting that came with a later version into "unsupported"."""
    try:
        return make(conf, logger=logger)
    except KafkaException as exception:
        unknown = re.search(r'No such configuration property: "([^"]*)"', exception.args[0].str())
        if unknown is None:
            raise
        version = confluent_kafka.libversion()[0]
        text = f"librdkafka {version} does not know it"
        raise Failure("unsupported", "", text, key=unknown[1]) from None


class Client(threading.Thread):
    """Serves the requests of one handle in their order."""

    verbs: dict[str, Callable[[Any, Request], Answer | None]] = {}
    at_once: dict[str, Callable[[Any, Request], Answer | None]] = {}  # whatever else waits

    def __init__(self, handle: str, output: Output) -> None:
        super().__init__(name=handle, daemon=True)
        self.handle = handle
        self.output = output
        self.requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self.closing = threading.Event()
        self.closed: Future[Answer | None] = Future()

    def take(self, request: Request) -> None:
        if (verb := self.at_once.get(request["verb"])) is None:
            self.requests.put(request)
        else:
            threading.Thread(target=self.output.answer, args=(request, partial(verb, self)), daemon=True).start()

    def run(self) -> None:
        while (request := self.requests.get())["verb"] != "close":
            self.serve(request)
        try:
            self.closed.set_result(self.free(request))
        except Exception as exception:
            self.closed.set_exception(exception)

    def serve(self, request: Request) -> None:
        self.output.answer(request, partial(self.verbs.get(request["verb"], unknown_verb), self))

    def close(self, request: Request) -> Answer | None:
        """Ends what is being served, if anything, and is answered in time."""
        self.closing.set()
        self.interrupt(request)
        self.requests.put(request)
        try:
            return self.closed.result(seconds(request))
        except FutureTimeout:
            raise Failure("unknown-outcome", "_TIMED_OUT", "librdkafka is still busy, and is left to itself") from None

    def interrupt(self, request: Request) -> None:
        """Ends waiting calls of the library where that can be done."""

    def free(self, request: Request) -> Answer | None:
        raise NotImplementedError


def unknown_verb(_: Any, request: Request) -> Answer:
    raise Failure("application", "unknown-verb", f"there is no verb {request['verb']!r} here")


def place(partition: int | None, offset: int | None) -> dict[str, int]:
    """What is known of where a record went."""
    known = {"partition": partition, "offset": offset}
    return {name: value for name, value in known.items() if value is not None and value >= 0}


class ProducerClient(Client):
    def __init__(self, request: Request, output: Output, role: str) -> None:
        super().__init__(request["handle"], output)
        self.transactional = role == "transactional-producer"
        self.died_of: KafkaError | None = None
        self.reported = threading.Condition()
        self.pending = 0
        self.records = 0  # numbers that are taken
        conf = configuration(role, request)
        conf["error_cb"] = self.told
        self.logger = output.logger(self.handle)
        self.polling = False
        self.producer: Producer | None = construct(Producer, conf, self.logger)

    def start_polling(self) -> None:
        if not self.polling:
            self.polling = True
            self.poller = threading.Thread(target=self.poll, daemon=True)
            self.poller.start()

    def stop_polling(self) -> None:
        if self.polling:
            self.polling = False
            self.poller.join()

    def poll(self) -> None:
        while self.polling:
            self.serve_events(self.producer.poll, POLL_SECONDS)

    def serve_events(self, call: Callable[[float], int], wait: float) -> int:
        """Poll and flush raise the error that a producer dies of; reports come after it."""
        try:
            return call(wait)
        except KafkaException as exception:
            self.told(exception.args[0])
            return 1

    def told(self, error: KafkaError) -> None:
        if error.fatal():
            self.died_of = error
        self.logger.info("error %s: %s", code_of(error), error.str())

    def take(self, request: Request) -> None:
        if request["verb"] == "produce":
            self.pend(1)
            self.records = request["record"] + 1
        super().take(request)

    def serve(self, request: Request) -> None:
        if request["verb"] not in self.bulks:
            self.start_polling()
        if request["verb"] == "produce":
            self.produce(request)
        else:
            super().serve(request)

    def pend(self, records: int) -> None:
        with self.reported:
            self.pending += records
            if self.pending == 0:
                self.reported.notify_all()

    def produce(self, request: Request) -> None:
        self.hand_over(
            partial(self.delivered, request["record"]),
            topic=request["topic"],
            partition=request["partition"],
            key=to_bytes(request.get("key")),
            value=to_bytes(request.get("value")),
            headers=[(name, to_bytes(value)) for name, value in request.get("headers") or []],
        )

    def hand_over(self, report: Callable[[KafkaError | None, Message | None], None], **record: Any) -> None:
        """Waits while the queue is full, and reports a record that is refused."""
        while True:
            try:
                self.producer.produce(**record, on_delivery=report)
                return
            except BufferError:
                if not self.closing.is_set():
                    self.await_room()
                    continue
                report(KafkaError(KafkaError._QUEUE_FULL), None)
            except KafkaException as exception:
                report(exception.args[0], None)
            return

    def await_room(self) -> None:
        if self.polling:
            time.sleep(ROOM_SECONDS)
        else:
            self.serve_events(self.producer.poll, ROOM_SECONDS)

    def delivered(self, record: int, error: KafkaError | None, message: Message | None) -> None:
        self.tell(record, error, message)
        self.pend(-1)

    def tell(self, record: int, error: KafkaError | None, message: Message | None) -> None:
        line = {"handle": self.handle, "record": record, "outcome": "acked" if error is None else "failed"}
        if message is not None:
            line.update(place(message.partition(), message.offset()))
        if error is not None:
            line["error"] = self.reason(error)
        self.output.write(line)

    def reason(self, error: KafkaError) -> dict[str, str]:
        """Names what the producer died of: librdkafka then purges, and refuses, without saying."""
        if code_of(error) in ("_PURGE_QUEUE", "_FATAL") and self.died_of is not None:
            return {"class": call_class(self.died_of), "code": code_of(self.died_of), "text": self.died_of.str()}
        return {"class": delivery_class(error, self.transactional), "code": code_of(error), "text": error.str()}

    def flush(self, request: Request) -> Answer:
        deadline = time.monotonic() + seconds(request)
        while self.pending and not self.closing.is_set() and (left := deadline - time.monotonic()) > 0:
            if self.serve_events(self.producer.flush, min(FLUSH_SECONDS, left)) == 0:
                self.all_reported(0.001)  # the last are being written by the poller
        return {"pending": self.pending}

    def all_reported(self, timeout: float) -> bool:
        with self.reported:
            return self.reported.wait_for(lambda: self.pending == 0, timeout)

    def produce_many(self, request: Request) -> Answer:
        bulk = Bulk(self, request, self.records)
        self.records += bulk.count
        return main_thread.call(bulk.produce)

    def process_many(self, request: Request) -> Answer:
        source = request["from"]
        if not isinstance(source, ConsumerClient):
            raise Failure("application", "_INVALID_ARG", f"there is no consumer {request['consumer']!r}")
        self.stop_polling()
        return main_thread.call(Processing(self, source, request).run)

    def need_open(self) -> None:
        if self.closing.is_set():
            raise Failure("unknown-outcome", "_DESTROY", "the producer is being closed")

    def init(self, request: Request) -> None:
        self.producer.init_transactions(seconds(request))

    def begin(self, request: Request) -> None:
        self.producer.begin_transaction()

    def send_offsets(self, request: Request) -> None:
        group = ConsumerClient.metadata(request["group"])
        self.producer.send_offsets_to_transaction(to_library(request["offsets"]), group, seconds(request))

    def commit(self, request: Request) -> Answer:
        return self.end("committed", self.producer.commit_transaction, seconds(request))

    def abort(self, request: Request) -> Answer:
        return self.end("aborted", self.producer.abort_transaction, seconds(request))

    def end(self, outcome: str, call: Callable[[float], None], timeout: float) -> Answer:
        """Only success says how a transaction ended (rdkafka_txnmgr.c)."""
        try:
            call(timeout)
        except KafkaException as exception:
            line = call_failure(exception).line
            if line["code"] == "_TIMED_OUT" and line["class"] == "retriable":
                line["class"] = "unknown-outcome"  # the call goes on, and may be resumed
            return {"outcome": "unknown", "error": line}
        self.all_reported(timeout)
        return {"outcome": outcome}

    def interrupt(self, request: Request) -> None:
        # What is pending comes back as _PURGE_QUEUE and _PURGE_INFLIGHT, which ends a flush.
        if not request.get("plainly"):
            self.producer.purge(blocking=False)

    def free(self, request: Request) -> None:
        plainly = request.get("plainly", False)
        if not plainly:
            self.start_polling()
            self.producer.purge(blocking=False)  # also what was handed over meanwhile
            self.all_reported(1)
        self.stop_polling()
        if plainly and hasattr(self.producer, "close"):
            self.producer.close()
        self.producer = None  # destroys it

    at_once = {"flush": flush, "close": Client.close}
    # Their thread polls, as that of a program with one thread does. There is no other poller
    # before them and between them, because it would cost a bulk some of its throughput.
    bulks = {"produce-many": produce_many, "process-many": process_many}
    verbs = bulks | {
        "init": init,
        "begin": begin,
        "send-offsets": send_offsets,
        "commit": commit,
        "abort": abort,
    }


class Bulk:
    """The records of produce-many."""

    def __init__(self, client: ProducerClient, request: Request, first: int) -> None:
        self.client = client
        self.topic = request["topic"]
        self.partition = request["partition"]
        self.count = request["count"]
        self.keys = request.get("keys", 0)
        self.width = request.get("value_bytes", 0)
        self.rate = request.get("rate", 0)
        self.transaction = request.get("transaction", 0)
        self.reports = Reports(client, first, self.count)
        self.began = 0.0

    def produce(self) -> Answer:
        if self.rate:
            self.client.start_polling()  # because this thread sleeps
        else:
            self.client.stop_polling()
        return self.timed()

    def timed(self) -> Answer:
        self.began = time.monotonic()
        latencies = self.all_at_once() if not self.transaction else self.in_transactions()
        elapsed = time.monotonic() - self.began
        self.reports.tell()
        return {"elapsed_us": micros(elapsed), "latencies_us": little_endian(latencies)}

    def all_at_once(self) -> array[int]:
        if self.rate:
            self.reports.latencies = array("I", [LATENCY_UNKNOWN]) * self.count
        self.hand_over(range(self.count))
        self.await_reports()
        return self.reports.latencies

    def in_transactions(self) -> array[int]:
        producer, latencies = self.client.producer, array("I")
        for first in range(0, self.count, self.transaction):
            began = time.monotonic()
            producer.begin_transaction()
            self.hand_over(range(first, min(first + self.transaction, self.count)))
            producer.commit_transaction()
            latencies.append(micros(time.monotonic() - began))
        self.await_reports()
        return latencies

    def await_reports(self) -> None:
        while self.reports.left:
            self.client.need_open()
            self.client.serve_events(self.client.producer.flush, FLUSH_SECONDS)

    def hand_over(self, numbers: range) -> None:
        """Reports of a record that the library places need not say where that is, and are counted."""
        if self.rate or self.partition >= 0:
            for n in numbers:
                self.hand_over_one(n)
            return
        first = numbers.start
        while first < numbers.stop:
            end = min(first - first % TOGETHER + TOGETHER, numbers.stop)
            self.client.need_open()
            self.hand_over_some(range(first, end))
            self.client.serve_events(self.client.producer.poll, 0)
            self.reports.tell_in_time()
            first = end

    def hand_over_one(self, n: int) -> None:
        due = self.began
        if self.rate:
            due += n / self.rate
            if (early := due - time.monotonic()) > 0:
                self.client.closing.wait(early)
        self.client.hand_over(partial(self.reports.one, n, due), **self.record(n))

    def hand_over_some(self, numbers: range) -> None:
        """The loop that benchmarks measure: nothing in it is kcompare's own."""
        produce, topic, keys, width = self.client.producer.produce, self.topic, self.keys or None, self.width
        report, key = self.reports.of(numbers.start), None
        for n in numbers:
            if keys is not None:
                key = b"key-%d" % (n % keys)
            value = (b"%d" % n).ljust(width, b".")
            try:
                produce(topic, value, key, -1, report)
            except (BufferError, KafkaException):
                self.client.hand_over(partial(self.reports.one_that_had_to_wait, n, report), **self.record(n))

    def record(self, n: int) -> dict[str, Any]:
        return {
            "topic": self.topic,
            "partition": self.partition,
            "key": b"key-%d" % (n % self.keys) if self.keys else None,
            "value": (b"%d" % n).ljust(self.width, b"."),
        }


class Reports:
    """Reports on the records of produce-many. Neighbours are told together."""

    def __init__(self, client: ProducerClient, first: int, count: int) -> None:
        self.client = client
        self.first = first  # number of the first record
        self.count = count
        self.left = count
        self.latencies = array("I")
        self.lock = threading.Lock()
        self.next = 0  # the first of those that tell one by one where they are
        self.places: dict[int, tuple[int, int] | None] = {}  # of those, partition and offset; None: failed
        self.runs: list[list[int]] = []  # to be told
        self.block: Callable[..., None] | None = None  # takes the reports of the records in hand
        self.failed: list[int] = []  # of those
        self.since = time.monotonic()

    def one(self, n: int, due: float, error: KafkaError | None, message: Message | None) -> None:
        """Takes the report of a record that was due then."""
        with self.lock:
            if error is None:
                if self.latencies:
                    self.latencies[n] = micros(time.monotonic() - due)
                offset = message.offset()
                self.places[n] = message.partition(), -1 if offset is None else offset
            else:
                self.places[n] = None
                self.client.tell(self.first + n, error, message)
            self.left -= 1
        self.tell_in_time()

    def of(self, n: int) -> Callable[..., None]:
        """What takes the reports of record n and of those around it, and only counts them."""
        if self.block is None or n % TOGETHER == 0:
            self.block = self.counted(n - n % TOGETHER)
        return self.block

    def counted(self, first: int) -> Callable[..., None]:
        left = size = min(TOGETHER, self.count - first)
        failed: list[int] = []
        complete = partial(self.told, first, size, failed)
        fail = partial(self.fail, failed)

        def report(error: KafkaError | None, message: Message) -> None:
            nonlocal left
            if error is not None:
                fail(error, message)
            left -= 1
            if left == 0:
                complete()

        self.failed = failed
        return report

    def fail(self, failed: list[int], error: KafkaError, message: Message) -> None:
        n = int(message.value().partition(b".")[0])
        failed.append(n)
        self.client.tell(self.first + n, error, message)

    def one_that_had_to_wait(
        self, n: int, report: Callable[..., None], error: KafkaError | None, message: Message | None
    ) -> None:
        """Takes the report of record n of the block in hand, which has no message where it was refused."""
        if message is not None:
            report(error, message)
            return
        self.failed.append(n)
        self.client.tell(self.first + n, error, None)
        report(None, None)

    def told(self, first: int, size: int, failed: list[int]) -> None:
        for n in [*sorted(failed), first + size]:
            if n > first:
                self.runs.append([first, -1, -1, n - first])
            first = n + 1
        self.left -= size

    def tell_in_time(self) -> None:
        if time.monotonic() - self.since > RUN_SECONDS:
            self.tell()

    def tell(self) -> None:
        acked = {"handle": self.client.handle, "outcome": "acked"}
        with self.lock:
            runs = joined(sorted(self.runs)) + self.placed()
            self.runs.clear()
            self.since = time.monotonic()
        if runs:
            self.client.output.write(
                *(acked | {"record": self.first + n, "count": count} | place(p, o) for n, p, o, count in runs)
            )

    def placed(self) -> list[list[int]]:
        """Runs of records that told where they are, as far as there is no gap."""
        reports = []
        while self.next in self.places:
            if (report := self.places.pop(self.next)) is not None:
                reports.append([self.next, *report, 1])
            self.next += 1
        runs = joined(reports)
        if len(runs) > 1 and len(reports) < len(runs) * WORTHWHILE:  # neighbours went to different partitions
            runs = joined([n, -1, -1, 1] for n, _, _, _ in reports)
        return runs


def joined(reports: Iterable[list[int]]) -> list[list[int]]:
    """Runs of record, partition, offset and count."""
    runs: list[list[int]] = []
    for record, partition, offset, more in reports:
        if runs:
            first, where, at, count = run = runs[-1]
            if record == first + count and partition == where and offset == (at + count if at >= 0 else at):
                run[3] = count + more
                continue
        runs.append([record, partition, offset, more])
    return runs


class Processing:
    """What process-many reads, writes and commits."""

    def __init__(self, client: ProducerClient, source: ConsumerClient, request: Request) -> None:
        self.client = client
        self.source = source
        self.topic = request["topic"]
        self.wanted = request["count"]
        self.size = request["transaction"]
        self.deadline = time.monotonic() + seconds(request)
        self.count = 0
        self.places: dict[tuple[str, int], int] = {}  # the next offset of each partition that was committed

    def run(self) -> Answer:
        latencies = array("I")
        messages = self.wait_for_some()
        began = time.monotonic()
        while messages:
            start = time.monotonic()
            self.transaction(messages)
            latencies.append(micros(time.monotonic() - start))
            messages = self.wait_for_some() if self.count < self.wanted else []
        elapsed = time.monotonic() - began
        self.source.returned += self.count
        return {"count": self.count, "elapsed_us": micros(elapsed), "latencies_us": little_endian(latencies)}

    def transaction(self, messages: list[Message]) -> None:
        producer = self.client.producer
        producer.begin_transaction()
        written = 0
        while messages:
            written += self.write(messages)
            messages = self.fetch(min(self.size - written, self.wanted - self.count))
        group = self.source.consumer.consumer_group_metadata()
        producer.send_offsets_to_transaction(self.moved(), group, max(0.0, self.deadline - time.monotonic()))
        producer.commit_transaction(max(0.0, self.deadline - time.monotonic()))

    def wait_for_some(self) -> list[Message]:
        while not (messages := self.fetch(min(self.size, self.wanted - self.count))):
            self.client.need_open()
            if time.monotonic() >= self.deadline:
                text = f"{self.count} of {self.wanted} records came before the time was up"
                raise Failure("retriable", "_TIMED_OUT", text)
        return messages

    def fetch(self, limit: int) -> list[Message]:
        return self.source.consumer.consume(min(limit, POLL_LIMIT), POLL_SECONDS) if limit > 0 else []

    def write(self, messages: list[Message]) -> int:
        produce, topic = self.client.producer.produce, self.topic
        for message in messages:
            if message.error() is not None:
                raise KafkaException(message.error())
            try:
                produce(topic, message.value(), message.key())
            except BufferError:
                self.client.hand_over(unheard, topic=topic, value=message.value(), key=message.key())
        self.client.serve_events(self.client.producer.poll, 0)
        self.count += len(messages)
        return len(messages)

    def moved(self) -> list[TopicPartition]:
        """Positions that changed since the last transaction."""
        consumer = self.source.consumer
        now = {
            (p.topic, p.partition): p.offset for p in checked(consumer.position(consumer.assignment())) if p.offset >= 0
        }
        moved = [TopicPartition(*where, offset) for where, offset in now.items() if self.places.get(where) != offset]
        self.places = now
        return moved


def unheard(*_: Any) -> None:
    """A report that nobody needs: the commit says what became of the records."""


def micros(elapsed: float) -> int:
    return min(round(elapsed * 1e6), LATENCY_UNKNOWN - 1)


def little_endian(numbers: array[int]) -> str:
    if sys.byteorder == "big":
        numbers.byteswap()
    return to_text(numbers.tobytes())


class ConsumerClient(Client):
    groups: dict[int, Any] = {}  # what group-metadata answered, by its token

    def __init__(self, request: Request, output: Output, role: str) -> None:
        super().__init__(request["handle"], output)
        conf = configuration(role, request)
        conf["error_cb"] = self.told
        self.group = "" if conf["group.id"] == PLACEHOLDER_GROUP else conf["group.id"]
        self.logger = output.logger(self.handle)
        self.consumer: Consumer = construct(Consumer, conf, self.logger)
        self.late: list[KafkaError] = []  # errors for the next poll
        self.sought: dict[tuple[str, int], int] = {}  # since then nothing was returned
        self.returned = 0
        self.changes: list[dict[str, Any]] = []

    def told(self, error: KafkaError) -> None:
        if error.fatal() or code_of(error) not in INFORMATIONAL:
            self.late.append(error)
        self.logger.info("error %s: %s", code_of(error), error.str())

    def changed(self, change: str, _: Consumer, partitions: list[TopicPartition]) -> None:
        if not partitions:
            return
        places = sorted([p.topic, p.partition] for p in partitions)
        self.changes.append({"change": change, "partitions": places, "after": self.returned})
        if change != "assigned":
            for topic, partition in places:
                self.sought.pop((topic, partition), None)

    def take_changes(self) -> list[dict[str, Any]]:
        changes, self.changes = self.changes, []
        return changes

    def need_group(self) -> None:
        if not self.group:
            raise Failure("application", "_UNKNOWN_GROUP", "the settings have no group.id")

    def subscribe(self, request: Request) -> None:
        self.need_group()
        self.consumer.subscribe(
            request["topics"],
            on_assign=partial(self.changed, "assigned"),
            on_revoke=partial(self.changed, "revoked"),
            on_lost=partial(self.changed, "lost"),
        )

    def assign(self, request: Request) -> None:
        self.sought.clear()
        self.consumer.assign(to_library(request["from"]))  # -2 and -1 are librdkafka's own

    def poll(self, request: Request) -> Answer:
        deadline = time.monotonic() + seconds(request)
        records: list[dict[str, Any]] = []
        while not records and not self.late and not self.closing.is_set():
            left = deadline - time.monotonic()
            records = self.fetch(max(0.0, min(POLL_SECONDS, left)))
            if left <= 0:
                break
        if self.late and not records:
            raise KafkaException(self.late.pop(0))
        return {"records": records, "rebalances": self.take_changes()}

    def fetch(self, wait: float) -> list[dict[str, Any]]:
        """Waits for one record, and then for none."""
        records: list[dict[str, Any]] = []
        while len(records) < POLL_LIMIT and (message := self.consumer.poll(wait)) is not None:
            wait = 0
            if message.error() is not None:
                self.late.append(message.error())
                break
            records.append(self.record(message))
        return records

    def record(self, message: Message) -> dict[str, Any]:
        self.returned += 1
        self.sought.pop((message.topic(), message.partition()), None)
        return {
            "topic": message.topic(),
            "partition": message.partition(),
            "offset": message.offset(),
            "key": to_text(message.key()),
            "value": to_text(message.value()),
            "headers": [[name, to_text(value)] for name, value in message.headers() or []],
        }

    def consume_many(self, request: Request) -> Answer:
        deadline = time.monotonic() + seconds(request)
        count, size, began, runs = 0, 0, 0.0, []
        latest: dict[tuple[str, int], list] = {}
        while count < request["count"] and time.monotonic() < deadline and not self.closing.is_set():
            messages = self.consumer.consume(min(POLL_LIMIT, request["count"] - count), POLL_SECONDS)
            if messages and not count:
                began = time.monotonic()
            for message in messages:
                if message.error() is not None:
                    raise KafkaException(message.error())
                count += 1
                size += len(message.key() or b"") + len(message.value() or b"")
                where, offset = (message.topic(), message.partition()), message.offset()
                run = latest.get(where)
                if run is None or run[2] + run[3] != offset:
                    run = latest[where] = [*where, offset, 0]
                    runs.append(run)
                run[3] += 1
        self.returned += count
        elapsed = time.monotonic() - began if count else 0
        return {"count": count, "bytes": size, "elapsed_us": round(elapsed * 1e6), "runs": runs}

    def seek(self, request: Request) -> None:
        topic, partition, offset = request["to"]
        self.consumer.seek(TopicPartition(topic, partition, offset))
        self.sought.pop((topic, partition), None)
        if offset >= 0:
            self.sought[topic, partition] = offset

    def positions(self, request: Request) -> Answer:
        """The library forgets its position at a seek until the next record is returned."""
        known = dict(self.sought)
        for p in checked(self.consumer.position(self.consumer.assignment())):
            if p.offset >= 0:
                known.setdefault((p.topic, p.partition), p.offset)
        return {"positions": [[*where, offset] for where, offset in sorted(known.items())]}

    def commit_offsets(self, request: Request) -> None:
        self.need_group()
        if request["offsets"]:
            checked(self.consumer.commit(offsets=to_library(request["offsets"]), asynchronous=False))

    def committed(self, request: Request) -> Answer:
        self.need_group()
        try:
            stored = checked(self.consumer.committed(to_library(request["partitions"]), seconds(request)))
        except KafkaException as exception:
            if code_of(exception.args[0]) != "GROUP_ID_NOT_FOUND":  # kfake's answer for a group that stored nothing
                raise
            stored = []
        return {"positions": sorted([p.topic, p.partition, p.offset] for p in stored if p.offset >= 0)}

    def store(self, request: Request) -> None:
        self.consumer.store_offsets(offsets=to_library(request["next"]))

    def group_metadata(self, request: Request) -> Answer:
        """Generation and member are inside of what the binding has, which stays here."""
        if not self.group:
            return {"group": "", "generation": -1, "member": "", "instance": ""}
        token = len(self.groups) + 1
        self.groups[token] = self.consumer.consumer_group_metadata()
        return {"group": self.group, "generation": -1, "member": "", "instance": "", "token": token}

    @classmethod
    def metadata(cls, group: dict[str, Any]) -> Any:
        """A group that is only named is one without members, as before KIP-447."""
        if group.get("token") in cls.groups:
            return cls.groups[group["token"]]
        if not group.get("group"):
            raise Failure("application", "_INVALID_ARG", "no group: the consumer needs a group.id")
        return Consumer({"group.id": group["group"]}, logger=logging.Logger("")).consumer_group_metadata()

    def free(self, request: Request) -> Answer:
        self.consumer.close()
        return {"rebalances": self.take_changes()}

    at_once = {"close": Client.close}
    verbs = {
        "subscribe": subscribe,
        "assign": assign,
        "poll": poll,
        "consume-many": consume_many,
        "seek": seek,
        "positions": positions,
        "commit-offsets": commit_offsets,
        "committed": committed,
        "store": store,
        "group-metadata": group_metadata,
    }


def hello(request: Request) -> Answer:
    return {
        "protocol": 1,
        "language": f"Python {platform.python_version()}",
        "library": "librdkafka",
        "version": confluent_kafka.libversion()[0],
        "via": f"confluent-kafka {confluent_kafka.__version__}",
        "abilities": ABILITIES,
    }


def check(request: Request) -> Answer:
    """Lets the library look at the settings; without an address nothing is connected."""
    conf = configuration(request["role"], request)
    conf.pop("bootstrap.servers", None)
    construct(Consumer if request["role"] == "consumer" else Producer, conf, logging.Logger(""))
    return {"differences": []}


class Program:
    makers: dict[str, tuple[type[Client], str]] = {
        "new-producer": (ProducerClient, "producer"),
        "new-transactional-producer": (ProducerClient, "transactional-producer"),
        "new-consumer": (ConsumerClient, "consumer"),
    }

    def __init__(self) -> None:
        self.output = Output()
        self.clients: dict[str, Client] = {}

    def serve(self, request: Request) -> None:
        verb = request["verb"]
        if verb == "hello":
            self.output.answer(request, hello)
        elif verb == "check":
            self.output.answer(request, check)
        elif verb in self.makers:
            self.output.answer(request, self.make)
        elif (client := self.clients.get(request.get("handle", ""))) is not None:
            if verb == "process-many":
                request["from"] = self.clients.get(request["consumer"])
            client.take(request)
        else:
            self.output.answer(request, partial(unknown_verb, None))

    def make(self, request: Request) -> None:
        kind, role = self.makers[request["verb"]]
        client = self.clients[request["handle"]] = kind(request, self.output, role)
        client.start()


def read() -> None:
    program = Program()
    for line in sys.stdin:
        request = json.loads(line)
        if request["verb"] == "shutdown":
            program.output.write({"id": request["id"]})
            break
        program.serve(request)


def main() -> None:
    def read_and_end() -> None:
        try:
            read()
        except Exception:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)  # whatever clients still do

    threading.Thread(target=read_and_end, daemon=True).start()
    main_thread.serve()


if __name__ == "__main__":
    main()
