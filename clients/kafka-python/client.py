"""kcompare's client program for kafka-python.

It speaks clients/PROTOCOL.md on stdin and stdout. Each client has a thread that serves
its requests, one after the other. It also makes the library's object, which waits for a
broker; what comes meanwhile waits with it.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import platform
import queue
import sys
import threading
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import kafka
from kafka import ConsumerRebalanceListener, KafkaConsumer, KafkaProducer, TopicPartition, codec, errors
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafka.partitioner import DefaultPartitioner
from kafka.structs import ConsumerGroupMetadata, OffsetAndMetadata

ABILITIES = ["idempotence", "transactions", "groups", "rebalances", "plain-close", "bulk", "paced", "bulk-transactions"]

POLL_SECONDS = 0.1  # how soon a waiting call sees that its client is being closed
FLUSH_SECONDS = 0.05
RUN_SECONDS = 0.1  # how long reports wait to become runs
TOGETHER = 1000  # records that are looked at together
MANY_PENDING = 100_000  # of produce-many; the library itself would take any number
LATENCY_UNKNOWN = 0xFFFFFFFF

Request = dict[str, Any]
Answer = dict[str, Any]


class Failure(Exception):
    """What is answered in place of a result."""

    def __init__(self, kind: str, code: str, text: str, **members: Any) -> None:
        super().__init__(text)
        self.line = {"class": kind, "code": code, "text": text, **members}


# Errors after which nobody knows whether a record was written, where they are the last
# that was said of it. Timeouts and broken connections may have followed a write, and so
# may what a close by force leaves behind (IllegalStateError of a record's future).
OUTCOME_UNKNOWN = (
    errors.KafkaTimeoutError,
    errors.KafkaConnectionError,
    errors.NetworkExceptionError,
    errors.CorrelationIdError,
    errors.Cancelled,
    errors.IllegalStateError,
    errors.RequestTimedOutError,
    errors.NotEnoughReplicasAfterAppendError,
    errors.OutOfOrderSequenceNumberError,
    errors.DuplicateSequenceNumberError,
    errors.UnknownError,
)
# Errors that refuse for now, beside those that the library calls retriable.
REFUSED_FOR_NOW = (
    errors.RetriableError,
    errors.CorruptRecordError,
    errors.UnknownProducerIdError,
    errors.InvalidProducerEpochError,
    errors.RebalanceInProgressError,
    errors.IllegalGenerationError,
    errors.UnknownMemberIdError,
    errors.CommitFailedError,
    errors.UnknownError,
)
FENCING = (errors.ProducerFencedError, errors.FencedInstanceIdError)
ABORTABLE = (
    errors.TransactionAbortableError,
    errors.TransactionAbortedError,
    errors.InvalidTxnStateError,
    errors.InvalidProducerIdMappingError,
)

# Errors of the protocol for which kafka-python has a name of its own, by Kafka's.
KAFKA_NAMES = {
    "UNKNOWN": "UNKNOWN_SERVER_ERROR",
    "MESSAGE_SIZE_TOO_LARGE": "MESSAGE_TOO_LARGE",
    "INVALID_TOPIC": "INVALID_TOPIC_EXCEPTION",
}


def code_of(error: BaseException) -> str:
    """Kafka's name for what a broker said, the class for what the library said itself."""
    if isinstance(error, errors.BrokerResponseError) and error.message:
        return KAFKA_NAMES.get(error.message, error.message)
    return type(error).__name__


def call_class(error: BaseException) -> str:
    """Calls may be repeated, so one that did not get through is retriable."""
    if isinstance(error, FENCING):
        return "fenced"
    if isinstance(error, ABORTABLE):
        return "abortable"
    if isinstance(error, REFUSED_FOR_NOW):
        return "retriable"
    return "application"


def error_line(kind: str, error: BaseException) -> dict[str, str]:
    return {"class": kind, "code": code_of(error), "text": str(error)}


def call_failure(error: Exception) -> Failure:
    return Failure(kind=call_class(error), code=code_of(error), text=str(error))


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
        except Exception as error:
            result = {"error": call_failure(error).line}
        self.write({"id": request["id"], **result})


class ToOutput(logging.Handler):
    """Makes the library's log lines of the protocol."""

    def __init__(self, output: Output) -> None:
        super().__init__(logging.INFO)
        self.output = output

    def emit(self, record: logging.LogRecord) -> None:
        self.output.write({"log": f"{record.levelname} {record.name}: {record.getMessage()}"})


def to_bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def to_text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def seconds(request: Request) -> float:
    return request["timeout_ms"] / 1000


@dataclass(frozen=True)
class Setting:
    """What a canonical setting is called here, and what is not quite the same."""

    name: str | None  # None: there is nothing to set
    convert: Callable[[str], Any] = str
    difference: str = ""


def boolean(value: str) -> bool:
    return value == "true"


def only(*values: str) -> Callable[[str], None]:
    """Accepts what the library does anyway."""
    return dict.fromkeys(values).__getitem__


def compression(value: str) -> str | None:
    if value == "none":
        return None
    has = {"gzip": codec.has_gzip, "snappy": codec.has_snappy, "lz4": codec.has_lz4, "zstd": codec.has_zstd}[value]
    if not has():
        raise ValueError(f"the Python package for {value} is not installed")
    return value


def acks(value: str) -> str | int:
    return "all" if value in ("all", "-1") else int(value)


def assignors(value: str) -> tuple[type, ...]:
    known = {
        "range": RangePartitionAssignor,
        "roundrobin": RoundRobinPartitionAssignor,
        "cooperative-sticky": CooperativeStickyAssignor,
    }
    return tuple(known[name.strip()] for name in value.split(","))


RESETS = {
    **dict.fromkeys(("earliest", "smallest", "beginning"), "earliest"),
    **dict.fromkeys(("latest", "largest", "end"), "latest"),
    "error": "none",
}

COMMON = {
    "bootstrap.servers": Setting("bootstrap_servers", lambda value: value.split(",")),
    "client.id": Setting("client_id"),
    "allow.auto.create.topics": Setting("allow_auto_create_topics", boolean),
    "connections.max.idle.ms": Setting("connections_max_idle_ms", int),
    "topic.metadata.refresh.interval.ms": Setting("metadata_max_age_ms", int),
    "retry.backoff.ms": Setting("retry_backoff_ms", int),
    "retry.backoff.max.ms": Setting(None, int, "every attempt waits retry.backoff.ms, however many there were"),
    "topic.metadata.refresh.fast.interval.ms": Setting(None, int, "it asks again after retry.backoff.ms"),
    "reconnect.backoff.ms": Setting("reconnect_backoff_ms", int),
    "reconnect.backoff.max.ms": Setting("reconnect_backoff_max_ms", int),
    "receive.message.max.bytes": Setting("receive_message_max_bytes", int),
    "socket.send.buffer.bytes": Setting("send_buffer_bytes", int),
    "socket.receive.buffer.bytes": Setting("receive_buffer_bytes", int),
    "security.protocol": Setting("security_protocol", str.upper),
    "ssl.ca.location": Setting("ssl_cafile"),
    "ssl.certificate.location": Setting("ssl_certfile"),
    "ssl.key.location": Setting("ssl_keyfile"),
    "ssl.key.password": Setting("ssl_password"),
    "ssl.crl.location": Setting("ssl_crlfile"),
    "ssl.cipher.suites": Setting("ssl_ciphers"),
    "ssl.endpoint.identification.algorithm": Setting("ssl_check_hostname", {"https": True, "none": False}.__getitem__),
    "enable.ssl.certificate.verification": Setting(None, only("true")),
    "sasl.mechanism": Setting("sasl_mechanism"),
    "sasl.username": Setting("sasl_plain_username"),
    "sasl.password": Setting("sasl_plain_password"),
    "sasl.kerberos.service.name": Setting("sasl_kerberos_service_name"),
}

PRODUCER = {
    "acks": Setting("acks", acks),
    "batch.size": Setting("batch_size", int),
    "compression.type": Setting("compression_type", compression),
    "delivery.timeout.ms": Setting("delivery_timeout_ms", int),
    "enable.idempotence": Setting("enable_idempotence", boolean),
    "linger.ms": Setting("linger_ms", float),
    "max.in.flight.requests.per.connection": Setting("max_in_flight_requests_per_connection", int),
    "message.max.bytes": Setting("max_request_size", int),
    "partitioner": Setting("partitioner", {"murmur2_random": DefaultPartitioner()}.__getitem__),
    "queue.buffering.max.kbytes": Setting(None, int, "the library takes any number of bytes"),
    "queue.buffering.max.messages": Setting(None, int, "the library takes any number of records"),
    "request.timeout.ms": Setting("request_timeout_ms", int),
    "retries": Setting("retries", int),
    "socket.timeout.ms": Setting(None, int, "answers are waited for as long as request.timeout.ms says"),
    "topic.metadata.propagation.max.ms": Setting("max_block_ms", int, "it bounds every wait for metadata, and init"),
    "transaction.timeout.ms": Setting("transaction_timeout_ms", int),
    "transactional.id": Setting("transactional_id"),
}

CONSUMER = {
    "auto.commit.interval.ms": Setting("auto_commit_interval_ms", int),
    "auto.offset.reset": Setting("auto_offset_reset", RESETS.__getitem__),
    "check.crcs": Setting("check_crcs", boolean),
    "client.rack": Setting("client_rack"),
    "enable.auto.commit": Setting("enable_auto_commit", boolean),
    "enable.auto.offset.store": Setting(None, only("true")),
    "fetch.max.bytes": Setting("fetch_max_bytes", int),
    "fetch.min.bytes": Setting("fetch_min_bytes", int),
    "fetch.wait.max.ms": Setting("fetch_max_wait_ms", int),
    "group.id": Setting("group_id"),
    "group.instance.id": Setting("group_instance_id"),
    "group.protocol": Setting(None, only("classic")),
    "heartbeat.interval.ms": Setting("heartbeat_interval_ms", int),
    "isolation.level": Setting("isolation_level"),
    "max.partition.fetch.bytes": Setting("max_partition_fetch_bytes", int),
    "max.poll.interval.ms": Setting("max_poll_interval_ms", int),
    "max.poll.records": Setting("max_poll_records", int),
    "partition.assignment.strategy": Setting("partition_assignment_strategy", assignors),
    "session.timeout.ms": Setting("session_timeout_ms", int),
    "socket.timeout.ms": Setting("request_timeout_ms", int),
}


def translate(role: str, request: Request) -> tuple[dict[str, Any], list[str]]:
    """The library's arguments for canonical settings, and what is not quite the same."""
    table = COMMON | (CONSUMER if role == "consumer" else PRODUCER)
    conf: dict[str, Any] = {}
    differences = []
    for key, value in request["settings"].items():
        setting = table.get(key)
        if setting is None:
            raise Failure("unsupported", "", "kafka-python has no such setting", key=key)
        try:
            converted = setting.convert(value)
        except KeyError:
            raise Failure("unsupported", "", "kafka-python has no such value", key=key) from None
        except ValueError as error:
            raise Failure("unsupported", "", str(error), key=key) from None
        if setting.name is not None:
            conf[setting.name] = converted
        if setting.difference:
            differences.append(f"{key}: {setting.difference}")
    if role == "consumer":
        if not request.get("bare") or "group_id" not in conf:
            conf.setdefault("enable_auto_commit", False)  # the library would
    elif request.get("one_record_per_batch"):
        conf["batch_size"] = 0
    differences += fit_timeouts(conf)
    return conf, sorted(differences)


def fit_timeouts(conf: dict[str, Any]) -> list[str]:
    """The library refuses a delivery timeout that is shorter than one attempt may be."""
    defaults = KafkaProducer.DEFAULT_CONFIG
    limit = conf.get("delivery_timeout_ms")
    attempt = conf.get("request_timeout_ms", defaults["request_timeout_ms"])
    if limit is None or limit >= attempt + conf.get("linger_ms", 0):
        return []
    conf["request_timeout_ms"] = max(1, int(limit - conf.get("linger_ms", 0)))
    shortened = (
        f"{conf['request_timeout_ms']} ms, because delivery.timeout.ms must be as long as it and linger.ms together"
    )
    return [f"delivery.timeout.ms: one request may take {shortened}"]


class Client(threading.Thread):
    """Serves the requests of one handle in their order."""

    verbs: dict[str, Callable[[Any, Request], Answer | None]] = {}
    at_once: dict[str, Callable[[Any, Request], Answer | None]] = {}  # whatever else waits

    def __init__(self, handle: str, output: Output, make: Callable[[], Any]) -> None:
        super().__init__(name=handle, daemon=True)
        self.handle = handle
        self.output = output
        self.make = make
        self.library: Any = None  # until a broker was reached
        self.broken: Exception | None = None  # why it was not
        self.requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self.closing = threading.Event()

    def take(self, request: Request) -> None:
        if (verb := self.at_once.get(request["verb"])) is None:
            self.requests.put(request)
        else:
            threading.Thread(target=self.output.answer, args=(request, partial(verb, self)), daemon=True).start()

    def run(self) -> None:
        try:
            self.library = self.make()
        except Exception as error:
            self.broken = error
        while (request := self.requests.get())["verb"] != "close":
            self.serve(request)
        self.end(request)

    def serve(self, request: Request) -> None:
        verb = self.verbs.get(request["verb"], unknown_verb)
        self.output.answer(request, partial(verb, self) if self.broken is None else self.fail)

    def fail(self, _: Request) -> Answer:
        raise self.broken

    def end(self, request: Request) -> None:
        """What the thread does last."""


def unknown_verb(_: Any, request: Request) -> Answer:
    raise Failure("application", "unknown-verb", f"there is no verb {request['verb']!r} here")


def busy() -> Failure:
    return Failure("unknown-outcome", "busy", "kafka-python is still busy, and is left to itself")


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


def place(partition: int | None, offset: int | None) -> dict[str, int]:
    """What is known of where a record went."""
    known = {"partition": partition, "offset": offset}
    return {name: value for name, value in known.items() if value is not None and value >= 0}


class ProducerClient(Client):
    def __init__(self, request: Request, output: Output, role: str) -> None:
        conf, _ = translate(role, request)
        super().__init__(request["handle"], output, lambda: KafkaProducer(**conf))
        self.transactional = role == "transactional-producer"
        self.reported = threading.Condition()
        self.pending = 0
        self.records = 0  # numbers that are taken

    def take(self, request: Request) -> None:
        if request["verb"] == "produce":
            self.pend(1)
            self.records = request["record"] + 1
        super().take(request)

    def serve(self, request: Request) -> None:
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
        partition = request["partition"]
        self.hand_over(
            partial(self.told, request["record"]),
            topic=request["topic"],
            partition=None if partition < 0 else partition,
            key=to_bytes(request.get("key")),
            value=to_bytes(request.get("value")),
            headers=[(name, to_bytes(value)) for name, value in request.get("headers") or []],
        )

    def hand_over(self, told: Callable[[Any, dict[str, str] | None], None], **content: Any) -> None:
        """Sends a record. It waits for metadata of its topic, and raises what was never sent."""
        try:
            if self.broken is not None:
                raise self.broken
            future = self.library.send(**content)
        except Exception as error:
            told(None, error_line(self.class_of(error), error))
            return
        future.add_callback(lambda metadata: told(metadata, None))
        future.add_errback(lambda error: told(None, error_line(self.delivery_class(error), error)))

    def told(self, record: int, metadata: Any, error: dict[str, str] | None) -> None:
        self.tell(record, metadata, error)
        self.pend(-1)

    def tell(self, record: int, metadata: Any, error: dict[str, str] | None) -> None:
        line = {"handle": self.handle, "record": record}
        if error is None:
            line |= {"outcome": "acked"} | place(metadata.partition, metadata.offset)
        else:
            line |= {"outcome": "failed", "error": error}
        self.output.write(line)

    def delivery_class(self, error: BaseException) -> str:
        if isinstance(error, OUTCOME_UNKNOWN):
            return "unknown-outcome"
        if isinstance(error, errors.InvalidProducerEpochError) and self.transactional:
            return "fenced"
        return self.class_of(error)

    def class_of(self, error: BaseException) -> str:
        """Which errors kill a producer, or its transaction, only its transaction manager knows."""
        kind = call_class(error)
        if kind == "abortable" and not self.transactional:
            kind = "application"
        manager = getattr(self.library, "_transaction_manager", None)
        if manager is None or kind == "fenced":
            return kind
        if manager.has_fatal_error():
            return "fenced" if isinstance(manager.last_error, FENCING) else "fatal"
        return "abortable" if manager.has_abortable_error() else kind

    def flush(self, request: Request) -> Answer:
        deadline = time.monotonic() + seconds(request)
        while self.pending and not self.closing.is_set() and (left := deadline - time.monotonic()) > 0:
            self.flush_for(min(FLUSH_SECONDS, left))
        return {"pending": self.pending}

    def flush_for(self, wait: float) -> None:
        """Lets the library send what lingers. What was not handed over yet is waited for."""
        try:
            if self.library is not None:
                self.library.flush(timeout=wait)
                wait = 0.001
        except errors.KafkaTimeoutError:
            return
        self.all_reported(wait)

    def all_reported(self, timeout: float) -> bool:
        with self.reported:
            return self.reported.wait_for(lambda: self.pending == 0, timeout)

    def produce_many(self, request: Request) -> Answer:
        bulk = Bulk(self, request, self.records)
        self.records += bulk.count
        return bulk.produce()

    def process_many(self, request: Request) -> Answer:
        source = request["from"]
        if not isinstance(source, ConsumerClient):
            raise Failure("application", "IllegalStateError", f"there is no consumer {request['consumer']!r}")
        return Processing(self, source, request).run()

    def need_open(self) -> None:
        if self.closing.is_set():
            raise Failure("unknown-outcome", "closed", "the producer is being closed")

    def init(self, request: Request) -> None:
        self.call(self.library.init_transactions)

    def begin(self, request: Request) -> None:
        self.call(self.library.begin_transaction)

    def send_offsets(self, request: Request) -> None:
        group = request["group"]
        offsets = {TopicPartition(t, p): OffsetAndMetadata(offset, "", -1) for t, p, offset in request["offsets"]}
        member = ConsumerGroupMetadata(group["group"], group["generation"], group["member"], group["instance"] or None)
        self.call(self.library.send_offsets_to_transaction, offsets, member)

    def call(self, function: Callable[..., Any], *args: Any) -> None:
        try:
            function(*args)
        except Exception as error:
            raise Failure(self.class_of(error), code_of(error), str(error)) from error

    def commit(self, request: Request) -> Answer:
        return self.finish("committed", self.library.commit_transaction)

    def abort(self, request: Request) -> Answer:
        return self.finish("aborted", self.library.abort_transaction)

    def finish(self, outcome: str, end: Callable[[], None]) -> Answer:
        """Only success says how a transaction ended. The library's calls have no time limit."""
        try:
            self.call(end)
        except Failure as failure:
            return {"outcome": "unknown", "error": failure.line}
        self.all_reported(1)
        return {"outcome": outcome}

    def close(self, request: Request) -> None:
        """The producer may be closed from any thread, whatever others wait for."""
        self.closing.set()
        self.requests.put(request)
        if self.library is None:
            return  # still looking for a broker; its thread closes what comes of it
        if request.get("plainly"):
            closer = threading.Thread(target=self.library.close, daemon=True)
            closer.start()
            closer.join(seconds(request))
            if closer.is_alive():
                raise busy()
        else:
            self.give_up()
            self.all_reported(1)

    def give_up(self) -> None:
        """close(0) waits for nothing, but where records are pending it raises before it has closed."""
        try:
            self.library.close(timeout=0)
        except errors.KafkaTimeoutError:
            self.library._sender.force_close()  # what close does next

    def end(self, request: Request) -> None:
        if self.library is not None:
            self.give_up()

    at_once = {"flush": flush, "close": close}
    verbs = {
        "produce-many": produce_many,
        "process-many": process_many,
        "init": init,
        "begin": begin,
        "send-offsets": send_offsets,
        "commit": commit,
        "abort": abort,
    }


class Bulk:
    """The records of produce-many. A thousand of them are looked at together, when the last one has its report."""

    def __init__(self, client: ProducerClient, request: Request, first: int) -> None:
        self.client = client
        self.first = first  # number of the first record
        self.topic = request["topic"]
        self.partition = request["partition"]
        self.count = request["count"]
        self.keys = request.get("keys", 0)
        self.width = request.get("value_bytes", 0)
        self.rate = request.get("rate", 0)
        self.transaction = request.get("transaction", 0)
        self.together = max(1, min(TOGETHER, int(self.rate * RUN_SECONDS / 2))) if self.rate else TOGETHER
        self.blocks: deque[tuple[int, list[Any]]] = (
            deque()
        )  # number of a record, and what became of it and the next ones
        self.latencies = array("I", [LATENCY_UNKNOWN]) * (self.count if self.rate and not self.transaction else 0)
        self.runs: list[list[int]] = []  # to be told
        self.began = self.since = 0.0

    def produce(self) -> Answer:
        self.began = self.since = time.monotonic()
        if self.transaction:
            self.in_transactions()
        else:
            self.hand_over(range(self.count))
        while self.blocks:
            self.client.need_open()
            self.client.flush_for(FLUSH_SECONDS)
            self.settle()
        elapsed = time.monotonic() - self.began
        self.tell()
        return {"elapsed_us": micros(elapsed), "latencies_us": little_endian(self.latencies)}

    def in_transactions(self) -> None:
        client = self.client
        for first in range(0, self.count, self.transaction):
            began = time.monotonic()
            client.call(client.library.begin_transaction)
            self.hand_over(range(first, min(first + self.transaction, self.count)))
            client.call(client.library.commit_transaction)
            self.latencies.append(micros(time.monotonic() - began))

    def hand_over(self, numbers: range) -> None:
        for first in range(numbers.start, numbers.stop, self.together):
            self.client.need_open()
            some = range(first, min(first + self.together, numbers.stop))
            self.blocks.append((first, []))
            self.hand_over_some(some, self.blocks[-1][1])
            self.settle()
            while len(self.blocks) * self.together > MANY_PENDING:
                self.await_first()
                self.settle()
            if time.monotonic() - self.since > RUN_SECONDS:
                self.tell()

    def hand_over_some(self, numbers: range, futures: list[Any]) -> None:
        """The loop that benchmarks measure."""
        send, topic, keys, width, rate = self.client.library.send, self.topic, self.keys, self.width, self.rate
        partition, key = None if self.partition < 0 else self.partition, None
        for n in numbers:
            if rate:
                self.await_turn(n)
            if keys:
                key = b"key-%d" % (n % keys)
            try:
                future = send(topic, (b"%d" % n).ljust(width, b"."), key, None, partition)
            except Exception as error:
                future = Refused(error)
            if rate:
                future.add_callback(partial(self.acked, n))
            futures.append(future)

    def await_turn(self, n: int) -> None:
        early = self.began + n / self.rate - time.monotonic()
        if early > 0:
            self.client.closing.wait(early)

    def acked(self, n: int, _: Any) -> None:
        if not self.transaction:
            self.latencies[n] = micros(time.monotonic() - self.began - n / self.rate)

    def await_first(self) -> None:
        """Waits for the oldest records. What is wrong with them is told later."""
        self.client.need_open()
        with suppress(Exception):
            self.blocks[0][1][-1].get(timeout=POLL_SECONDS)

    def settle(self) -> None:
        """Takes the reports of blocks that are complete."""
        while self.blocks and all(future.is_done for future in reversed(self.blocks[0][1])):
            first, futures = self.blocks.popleft()
            if self.partition < 0 and not any(future.exception for future in futures):
                self.runs.append([first, -1, -1, len(futures)])  # the library spreads them
            else:
                self.take(first, futures)

    def take(self, first: int, futures: list[Any]) -> None:
        client = self.client
        for n, future in enumerate(futures, first):
            if (error := future.exception) is None:
                offset = future.value.offset if self.partition >= 0 else -1
                self.runs.append([n, self.partition, offset, 1])
                continue
            kind = client.class_of(error) if isinstance(future, Refused) else client.delivery_class(error)
            client.tell(self.first + n, None, error_line(kind, error))

    def tell(self) -> None:
        runs = joined(self.runs)
        self.runs.clear()
        self.since = time.monotonic()
        acked = {"handle": self.client.handle, "outcome": "acked"}
        for n, partition, offset, count in runs:
            self.client.output.write(acked | {"record": self.first + n, "count": count} | place(partition, offset))


class Refused:
    """A record that the library did not take."""

    is_done = True

    def __init__(self, error: Exception) -> None:
        self.exception = error

    def add_callback(self, _: Callable[..., None]) -> None:
        """It is never acknowledged."""

    def get(self, timeout: float) -> None:
        """There is nothing to wait for."""


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

    def run(self) -> Answer:
        latencies = array("I")
        fetched = self.wait_for_some()
        began = time.monotonic()
        while fetched:
            start = time.monotonic()
            self.transact(fetched)
            latencies.append(micros(time.monotonic() - start))
            fetched = self.wait_for_some() if self.count < self.wanted else {}
        elapsed = time.monotonic() - began
        self.source.returned += self.count
        return {"count": self.count, "elapsed_us": micros(elapsed), "latencies_us": little_endian(latencies)}

    def wait_for_some(self) -> dict[TopicPartition, list]:
        while not (fetched := self.fetch(self.size)):
            self.client.need_open()
            if time.monotonic() >= self.deadline:
                text = f"{self.count} of {self.wanted} records came before the time was up"
                raise Failure("retriable", "KafkaTimeoutError", text)
        return fetched

    def fetch(self, room: int) -> dict[TopicPartition, list]:
        library = self.source.library
        limit = min(library.config["max_poll_records"], room, self.wanted - self.count)
        return library.poll(timeout_ms=POLL_SECONDS * 1000, max_records=limit) if limit > 0 else {}

    def transact(self, fetched: dict[TopicPartition, list]) -> None:
        library, call = self.client.library, self.client.call
        call(library.begin_transaction)
        behind: dict[TopicPartition, OffsetAndMetadata] = {}
        written = 0
        while fetched:
            for where, records in fetched.items():
                for record in records:
                    call(library.send, self.topic, record.value, record.key)
                behind[where] = OffsetAndMetadata(records[-1].offset + 1, "", -1)
                written += len(records)
                self.count += len(records)
            fetched = self.fetch(self.size - written)
        call(library.send_offsets_to_transaction, behind, self.source.library.group_metadata())
        call(library.commit_transaction)


def micros(elapsed: float) -> int:
    return min(round(elapsed * 1e6), LATENCY_UNKNOWN - 1)


def little_endian(numbers: array[int]) -> str:
    if sys.byteorder == "big":
        numbers.byteswap()
    return to_text(numbers.tobytes())


class Listener(ConsumerRebalanceListener):
    """Hears of rebalances, on the thread on which the library does its input and output."""

    def __init__(self, changed: Callable[[str, Iterable[TopicPartition]], None]) -> None:
        self.changed = changed

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        self.changed("assigned", assigned)

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        self.changed("revoked", revoked)

    def on_partitions_lost(self, lost: Iterable[TopicPartition]) -> None:
        self.changed("lost", lost)


class ConsumerClient(Client):
    def __init__(self, request: Request, output: Output, role: str) -> None:
        conf, _ = translate(role, request)
        super().__init__(request["handle"], output, lambda: KafkaConsumer(**conf))
        self.known: set[TopicPartition] = set()  # returned from, or sought
        self.returned = 0
        self.changes: list[dict[str, Any]] = []
        self.closed: Future[Answer | None] = Future()

    def changed(self, change: str, partitions: Iterable[TopicPartition]) -> None:
        if not partitions:
            return
        places = sorted([p.topic, p.partition] for p in partitions)
        self.changes.append({"change": change, "partitions": places, "after": self.returned})
        if change != "assigned":
            self.known.difference_update(partitions)

    def take_changes(self) -> list[dict[str, Any]]:
        changes = self.changes[:]
        del self.changes[: len(changes)]  # more may have come meanwhile
        return changes

    def subscribe(self, request: Request) -> None:
        if self.library.config["group_id"] is None:
            raise Failure("application", "IllegalStateError", "the settings have no group.id")
        self.library.subscribe(request["topics"], listener=Listener(self.changed))

    def assign(self, request: Request) -> None:
        self.known.clear()
        self.library.assign([TopicPartition(topic, partition) for topic, partition, _ in request["from"]])
        for position in request["from"]:
            self.seek_to(*position)
        self.known.clear()

    def seek(self, request: Request) -> None:
        self.seek_to(*request["to"])

    def seek_to(self, topic: str, partition: int, offset: int) -> None:
        where = TopicPartition(topic, partition)
        self.known.discard(where)
        if offset == -2:
            self.library.seek_to_beginning(where)
        elif offset == -1:
            self.library.seek_to_end(where)
        else:
            self.library.seek(where, offset)
            self.known.add(where)

    def poll(self, request: Request) -> Answer:
        fetched = self.library.poll(timeout_ms=request["timeout_ms"])
        records = [self.record(r) for of_partition in fetched.values() for r in of_partition]
        return {"records": records, "rebalances": self.take_changes()}

    def record(self, record: Any) -> dict[str, Any]:
        self.returned += 1
        self.known.add(TopicPartition(record.topic, record.partition))
        return {
            "topic": record.topic,
            "partition": record.partition,
            "offset": record.offset,
            "key": to_text(record.key),
            "value": to_text(record.value),
            "headers": [[name, to_text(value)] for name, value in record.headers],
        }

    def consume_many(self, request: Request) -> Answer:
        deadline = time.monotonic() + seconds(request)
        count, size, began, runs = 0, 0, 0.0, []
        latest: dict[TopicPartition, list] = {}
        while count < request["count"] and time.monotonic() < deadline and not self.closing.is_set():
            limit = min(self.library.config["max_poll_records"], request["count"] - count)
            fetched = self.library.poll(timeout_ms=POLL_SECONDS * 1000, max_records=limit)
            if fetched and not count:
                began = time.monotonic()
            for where, records in fetched.items():
                for record in records:
                    count += 1
                    size += len(record.key or b"") + len(record.value or b"")
                    run = latest.get(where)
                    if run is None or run[2] + run[3] != record.offset:
                        run = latest[where] = [*where, record.offset, 0]
                        runs.append(run)
                    run[3] += 1
        self.returned += count
        elapsed = time.monotonic() - began if count else 0
        return {"count": count, "bytes": size, "elapsed_us": round(elapsed * 1e6), "runs": runs}

    def positions(self, request: Request) -> Answer:
        known = sorted(self.known & self.library.assignment())
        told = [[*where, self.library.position(where, timeout_ms=0)] for where in known]
        return {"positions": [position for position in told if position[2] is not None]}

    def commit_offsets(self, request: Request) -> None:
        offsets = {TopicPartition(t, p): OffsetAndMetadata(offset, "", -1) for t, p, offset in request["offsets"]}
        if offsets:
            self.library.commit(offsets, timeout_ms=request["timeout_ms"])

    def committed(self, request: Request) -> Answer:
        positions = []
        for topic, partition in sorted(request["partitions"]):
            try:
                offset = self.library.committed(TopicPartition(topic, partition), timeout_ms=request["timeout_ms"])
            except errors.GroupIdNotFoundError:  # kfake's answer for a group that stored nothing
                continue
            if offset is not None and offset >= 0:
                positions.append([topic, partition, offset])
        return {"positions": positions}

    def group_metadata(self, request: Request) -> Answer:
        of = self.library.group_metadata()
        return {
            "group": of.group_id or "",
            "generation": of.generation_id,
            "member": of.member_id or "",
            "instance": of.group_instance_id or "",
        }

    def close(self, request: Request) -> Answer | None:
        """Ends the poll that is waiting, if any, and is answered in time."""
        self.closing.set()
        self.requests.put(request)
        if self.library is None:
            return None  # still looking for a broker; its thread closes what comes of it
        try:
            return self.closed.result(seconds(request))
        except FutureTimeout:
            raise busy() from None

    def end(self, request: Request) -> None:
        try:
            if self.library is not None:
                self.library.close(timeout_ms=request["timeout_ms"])
            self.closed.set_result({"rebalances": self.take_changes()})
        except Exception as error:
            self.closed.set_exception(error)

    at_once = {"close": close}
    verbs = {
        "subscribe": subscribe,
        "assign": assign,
        "poll": poll,
        "consume-many": consume_many,
        "seek": seek,
        "positions": positions,
        "commit-offsets": commit_offsets,
        "committed": committed,
        "group-metadata": group_metadata,
    }


def hello(request: Request) -> Answer:
    return {
        "protocol": 1,
        "language": f"Python {platform.python_version()}",
        "library": "kafka-python",
        "version": kafka.__version__,
        "abilities": ABILITIES,
    }


def check(request: Request) -> Answer:
    return {"differences": translate(request["role"], request)[1]}


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


def main() -> None:
    program = Program()
    log = logging.getLogger("kafka")
    log.setLevel(logging.INFO)
    log.addHandler(ToOutput(program.output))
    for line in sys.stdin:
        request = json.loads(line)
        if request["verb"] == "shutdown":
            program.output.write({"id": request["id"]})
            break
        program.serve(request)
    os._exit(0)  # whatever clients still do


if __name__ == "__main__":
    main()
