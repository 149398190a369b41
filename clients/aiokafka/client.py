"""kcompare's client program for aiokafka.

It speaks clients/PROTOCOL.md on stdin and stdout. Each client has a task that serves its
requests, one after the other. A producer is started as soon as there is one; with
transactions `init` starts it, because that is what gets a producer id.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
import os
import platform
import sys
import time
from array import array
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import aiokafka
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener, TopicPartition, codec, errors
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from aiokafka.helpers import create_ssl_context
from aiokafka.partitioner import DefaultPartitioner

ABILITIES = ["idempotence", "transactions", "groups", "rebalances", "plain-close", "bulk", "paced"]

FLUSH_SECONDS = 0.05
POLL_SECONDS = 0.1
RUN_SECONDS = 0.1  # how long reports wait to become runs
TOGETHER = 1000  # records that are looked at together
LATENCY_UNKNOWN = 0xFFFFFFFF
LINE_LIMIT = 1 << 30

Request = dict[str, Any]
Answer = dict[str, Any]
Verb = Callable[[Any, Request], Awaitable[Answer | None]]


class Failure(Exception):
    """What is answered in place of a result."""

    def __init__(self, kind: str, code: str, text: str, **members: Any) -> None:
        super().__init__(text)
        self.line = {"class": kind, "code": code, "text": text, **members}


# Errors after which nobody knows whether a record was written, where they are the last
# that was said of it. A plain KafkaError is what a sender that broke leaves to all.
OUTCOME_UNKNOWN = (
    errors.RequestTimedOutError,
    errors.KafkaConnectionError,
    errors.StaleLeaderEpochCodeError,  # 13, NETWORK_EXCEPTION
    errors.CorrelationIdError,
    errors.Cancelled,
    errors.NotEnoughReplicasAfterAppendError,
    errors.OutOfOrderSequenceNumber,
    errors.DuplicateSequenceNumber,
    errors.UnknownError,
)
# Errors that refuse for now, beside those that the library calls retriable.
REFUSED_FOR_NOW = (
    errors.KafkaTimeoutError,
    errors.CorruptRecordException,
    errors.UnknownProducerId,
    errors.InvalidProducerEpoch,
    errors.RebalanceInProgressError,
    errors.IllegalGenerationError,
    errors.UnknownMemberIdError,
    errors.CommitFailedError,
    errors.UnknownError,
)
ABORTABLE = (errors.InvalidTxnState, errors.InvalidProducerIdMapping)

# Errors of the protocol for which aiokafka has a name of its own, by Kafka's.
KAFKA_NAMES = {
    "UNKNOWN": "UNKNOWN_SERVER_ERROR",
    "MESSAGE_SIZE_TOO_LARGE": "MESSAGE_TOO_LARGE",
    "INVALID_TOPIC": "INVALID_TOPIC_EXCEPTION",
    "STALE_LEADER_EPOCH_CODE": "NETWORK_EXCEPTION",
}


def code_of(error: BaseException) -> str:
    """Kafka's name for what a broker said, the class for what the library said itself."""
    if isinstance(error, errors.BrokerResponseError):
        return KAFKA_NAMES.get(error.message, error.message)
    return type(error).__name__


def call_class(error: BaseException) -> str:
    """Calls may be repeated, so one that did not get through is retriable."""
    if isinstance(error, errors.ProducerFenced):
        return "fenced"
    if getattr(error, "retriable", False) or isinstance(error, REFUSED_FOR_NOW):
        return "retriable"
    return "application"


def error_line(kind: str, error: BaseException) -> dict[str, str]:
    return {"class": kind, "code": code_of(error), "text": str(error)}


class Output:
    """Lines to kcompare."""

    def write(self, *lines: dict[str, Any]) -> None:
        sys.stdout.write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
        sys.stdout.flush()

    async def answer(self, request: Request, call: Callable[[Request], Awaitable[Answer | None]]) -> None:
        try:
            result = await call(request) or {}
        except Failure as failure:
            result = {"error": failure.line}
        except asyncio.CancelledError:
            result = {"error": Failure("unknown-outcome", "CancelledError", "given up by close").line}
        except Exception as error:
            result = {"error": error_line(call_class(error), error)}
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


async def within(limit: float, call: Awaitable[Any]) -> Any:
    """The library's calls have no time limit of their own."""
    try:
        return await asyncio.wait_for(call, limit)
    except asyncio.TimeoutError:
        raise Failure("unknown-outcome", "TimeoutError", "given up before aiokafka answered") from None


@dataclass(frozen=True)
class Setting:
    """What a canonical setting is called here, and what is not quite the same."""

    name: str | None  # None: there is nothing to set
    convert: Callable[[str], Any] = str
    difference: str = ""
    but_for: str = ""  # the value with which there is no difference


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


def retries(value: str) -> None:
    if value == "0":
        raise ValueError("it has no limit on attempts")


def assignors(value: str) -> tuple[type, ...]:
    known = {"range": RangePartitionAssignor, "roundrobin": RoundRobinPartitionAssignor}
    return tuple(known[name.strip()] for name in value.split(","))


RESETS = {
    **dict.fromkeys(("earliest", "smallest", "beginning"), "earliest"),
    **dict.fromkeys(("latest", "largest", "end"), "latest"),
    "error": "none",
}

COMMON = {
    "bootstrap.servers": Setting("bootstrap_servers", lambda value: value.split(",")),
    "client.id": Setting("client_id"),
    "allow.auto.create.topics": Setting(None, boolean, "it always lets a broker create them", but_for="true"),
    "connections.max.idle.ms": Setting("connections_max_idle_ms", int),
    "topic.metadata.refresh.interval.ms": Setting("metadata_max_age_ms", int),
    "retry.backoff.ms": Setting("retry_backoff_ms", int),
    "retry.backoff.max.ms": Setting(None, int, "every attempt waits retry.backoff.ms, however many there were"),
    "topic.metadata.refresh.fast.interval.ms": Setting(None, int, "it asks again after retry.backoff.ms"),
    "reconnect.backoff.ms": Setting(None, int, "it connects again with the next attempt, after retry.backoff.ms"),
    "reconnect.backoff.max.ms": Setting(None, int, "it connects again with the next attempt, after retry.backoff.ms"),
    "security.protocol": Setting("security_protocol", str.upper),
    "ssl.ca.location": Setting("cafile"),
    "ssl.certificate.location": Setting("certfile"),
    "ssl.key.location": Setting("keyfile"),
    "ssl.key.password": Setting("password"),
    "ssl.endpoint.identification.algorithm": Setting(None, only("https")),
    "enable.ssl.certificate.verification": Setting(None, only("true")),
    "sasl.mechanism": Setting("sasl_mechanism"),
    "sasl.username": Setting("sasl_plain_username"),
    "sasl.password": Setting("sasl_plain_password"),
    "sasl.kerberos.service.name": Setting("sasl_kerberos_service_name"),
}

PRODUCER = {
    "acks": Setting("acks", acks),
    "batch.size": Setting("max_batch_size", int),
    "compression.type": Setting("compression_type", compression),
    "delivery.timeout.ms": Setting(
        None, int, "without idempotence a record is given up when it failed after request.timeout.ms, with it never"
    ),
    "enable.idempotence": Setting("enable_idempotence", boolean),
    "linger.ms": Setting("linger_ms", float),
    "max.in.flight.requests.per.connection": Setting(None, int, "each broker gets one request at a time", but_for="1"),
    "message.max.bytes": Setting("max_request_size", int),
    "partitioner": Setting("partitioner", {"murmur2_random": DefaultPartitioner()}.__getitem__),
    "queue.buffering.max.kbytes": Setting(None, int, "send waits while the batch of its partition is full"),
    "queue.buffering.max.messages": Setting(None, int, "send waits while the batch of its partition is full"),
    "request.timeout.ms": Setting("request_timeout_ms", int),
    "retries": Setting(None, retries, "it tries again until a record is given up, see delivery.timeout.ms"),
    "socket.timeout.ms": Setting(None, int, "answers are waited for as long as request.timeout.ms says"),
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
            raise Failure("unsupported", "", "aiokafka has no such setting", key=key)
        try:
            converted = setting.convert(value)
        except KeyError:
            raise Failure("unsupported", "", "aiokafka has no such value", key=key) from None
        except ValueError as error:
            raise Failure("unsupported", "", str(error), key=key) from None
        if setting.name is not None:
            conf[setting.name] = converted
        if setting.difference and value != setting.but_for:
            differences.append(f"{key}: {setting.difference}")
    if role == "consumer":
        if not request.get("bare") or "group_id" not in conf:
            conf.setdefault("enable_auto_commit", False)  # the library would
    elif request.get("one_record_per_batch"):
        conf["max_batch_size"] = 1
    files = {name: conf.pop(name) for name in ("cafile", "certfile", "keyfile", "password") if name in conf}
    if conf.get("security_protocol", "").endswith("SSL"):
        conf["ssl_context"] = create_ssl_context(**files)
    return conf, sorted(differences)


class Client:
    """Serves the requests of one handle in their order."""

    verbs: dict[str, Verb] = {}
    at_once: dict[str, Verb] = {}  # whatever else waits

    def __init__(self, handle: str, output: Output, library: Any) -> None:
        self.handle = handle
        self.output = output
        self.library = library
        self.started = False
        self.broken: Exception | None = None  # why it could not be started
        self.closing = False
        self.requests: asyncio.Queue[Request] = asyncio.Queue()
        self.others: set[asyncio.Task[None]] = set()
        self.task = asyncio.create_task(self.run())

    def take(self, request: Request) -> None:
        if (verb := self.at_once.get(request["verb"])) is None:
            self.requests.put_nowait(request)
            return
        task = asyncio.create_task(self.output.answer(request, partial(verb, self)))
        self.others.add(task)
        task.add_done_callback(self.others.discard)

    async def run(self) -> None:
        await self.begin()
        while not self.closing:
            await self.serve(await self.requests.get())

    async def begin(self) -> None:
        try:
            await self.library.start()
            self.started = True
        except Exception as error:
            self.broken = error

    async def serve(self, request: Request) -> None:
        verb = self.verbs.get(request["verb"], unknown_verb)
        await self.output.answer(request, partial(verb, self) if self.broken is None else self.fail)

    async def fail(self, _: Request) -> Answer:
        raise self.broken

    async def end(self) -> None:
        """Ends the call that is being served, if any. The library may miss that it was cancelled."""
        self.closing = True
        while not self.task.done():
            self.task.cancel()
            await asyncio.wait({self.task}, timeout=POLL_SECONDS)


async def unknown_verb(_: Any, request: Request) -> Answer:
    raise Failure("application", "unknown-verb", f"there is no verb {request['verb']!r} here")


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


def where(metadata: Any) -> tuple[int, int]:
    """With acks=0 the library tells nothing."""
    return (-1, -1) if metadata is None else (metadata.partition, metadata.offset)


def place(partition: int, offset: int) -> dict[str, int]:
    """What is known of where a record went."""
    return {name: value for name, value in (("partition", partition), ("offset", offset)) if value >= 0}


class ProducerClient(Client):
    def __init__(self, request: Request, output: Output, role: str) -> None:
        self.transactional = role == "transactional-producer"
        self.pending = 0
        self.records = 0  # numbers that are taken
        self.idle = asyncio.Event()
        super().__init__(request["handle"], output, AIOKafkaProducer(**translate(role, request)[0]))

    async def begin(self) -> None:
        if not self.transactional:
            await super().begin()

    def take(self, request: Request) -> None:
        if request["verb"] == "produce":
            self.pend(1)
            self.records = request["record"] + 1
        super().take(request)

    async def serve(self, request: Request) -> None:
        if request["verb"] == "produce":
            await self.produce(request)
        else:
            await super().serve(request)

    def pend(self, records: int) -> None:
        self.pending += records
        if self.pending == 0:
            self.idle.set()
        else:
            self.idle.clear()

    async def produce(self, request: Request) -> None:
        partition = request["partition"]
        await self.hand_over(
            partial(self.told, request["record"]),
            topic=request["topic"],
            partition=None if partition < 0 else partition,
            key=to_bytes(request.get("key")),
            value=to_bytes(request.get("value")),
            headers=[(name, to_bytes(value)) for name, value in request.get("headers") or []],
        )

    async def hand_over(self, told: Callable[[Any, dict[str, str] | None], None], **content: Any) -> None:
        """Sends a record. It waits for room in the batch, and raises what was never sent."""
        try:
            self.need_start()
            future = await self.library.send(**content)
        except Exception as error:
            told(None, error_line(self.class_of(error), error))
            return

        def done(future: asyncio.Future[Any]) -> None:
            if (error := future.exception()) is None:
                told(future.result(), None)
            else:
                told(None, error_line(self.delivery_class(error), error))

        future.add_done_callback(done)

    def told(self, record: int, metadata: Any, error: dict[str, str] | None) -> None:
        self.tell(record, metadata, error)
        self.pend(-1)

    def tell(self, record: int, metadata: Any, error: dict[str, str] | None) -> None:
        line = {"handle": self.handle, "record": record}
        if error is not None:
            line |= {"outcome": "failed", "error": error}
        else:
            line |= {"outcome": "acked"} | place(*where(metadata))
        self.output.write(line)

    def need_start(self) -> None:
        if self.broken is not None:
            raise self.broken
        if not self.started:
            raise errors.IllegalStateError("the producer is not started")

    def delivery_class(self, error: BaseException) -> str:
        if isinstance(error, OUTCOME_UNKNOWN) or type(error) is errors.KafkaError:
            return "unknown-outcome"
        if isinstance(error, ABORTABLE) and self.transactional:
            return "abortable"
        return self.class_of(error)

    def class_of(self, error: BaseException) -> str:
        """Which errors kill a producer, or its transaction, only its transaction manager knows."""
        kind = call_class(error)
        if not self.transactional or kind == "fenced":
            return kind
        state = self.library._txn_manager.state.name
        return {"FATAL_ERROR": "fatal", "ABORTABLE_ERROR": "abortable"}.get(state, kind)

    async def flush(self, request: Request) -> Answer:
        deadline = time.monotonic() + seconds(request)
        while self.pending and (left := deadline - time.monotonic()) > 0:
            await self.flush_for(min(FLUSH_SECONDS, left))
        return {"pending": self.pending}

    async def flush_for(self, wait: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.library.flush(), wait)
            await asyncio.wait_for(self.idle.wait(), min(wait, 0.005))

    async def produce_many(self, request: Request) -> Answer:
        bulk = Bulk(self, request, self.records)
        self.records += bulk.count
        return await bulk.produce()

    async def init(self, request: Request) -> None:
        await self.call(request, self.library.start)
        self.started = True

    async def begin_transaction(self, request: Request) -> None:
        self.need_start()
        await self.call(request, self.library.begin_transaction)

    async def send_offsets(self, request: Request) -> None:
        offsets = {TopicPartition(topic, partition): offset for topic, partition, offset in request["offsets"]}
        await self.call(request, self.library.send_offsets_to_transaction, offsets, request["group"]["group"])

    async def call(self, request: Request, function: Callable[..., Awaitable[None]], *args: Any) -> None:
        try:
            call = function(*args)
            await (within(seconds(request), call) if "timeout_ms" in request else call)
        except Failure:
            raise
        except Exception as error:
            raise Failure(self.class_of(error), code_of(error), str(error)) from error

    async def commit(self, request: Request) -> Answer:
        return await self.finish(request, "committed", self.library.commit_transaction)

    async def abort(self, request: Request) -> Answer:
        return await self.finish(request, "aborted", self.library.abort_transaction)

    async def finish(self, request: Request, outcome: str, end: Callable[[], Awaitable[None]]) -> Answer:
        """Only success says how a transaction ended."""
        try:
            self.need_start()
            await self.call(request, end)
        except Failure as failure:
            return {"outcome": "unknown", "error": failure.line}
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.idle.wait(), 1)
        return {"outcome": outcome}

    async def close(self, request: Request) -> None:
        if request.get("plainly"):
            await within(seconds(request), self.library.stop())
            return
        await self.end()
        await self.library.client.close()
        # stop() would wait for what is pending; without connections its sender ends at once
        with contextlib.suppress(asyncio.TimeoutError, Exception):
            await asyncio.wait_for(self.library._sender.close(), 1)
        self.library._closed = True

    at_once = {"flush": flush, "close": close}
    verbs = {
        "produce-many": produce_many,
        "init": init,
        "begin": begin_transaction,
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
        self.together = max(1, min(TOGETHER, int(self.rate * RUN_SECONDS / 2))) if self.rate else TOGETHER
        self.blocks: deque[tuple[int, list[Any]]] = (
            deque()
        )  # number of a record, and what became of it and the next ones
        self.latencies = array("I", [LATENCY_UNKNOWN]) * (self.count if self.rate else 0)
        self.runs: list[list[int]] = []  # to be told
        self.began = self.since = 0.0

    async def produce(self) -> Answer:
        self.client.need_start()
        self.began = self.since = time.monotonic()
        for first in range(0, self.count, self.together):
            self.blocks.append((first, []))
            await self.hand_over(range(first, min(first + self.together, self.count)), self.blocks[-1][1])
            self.settle()
        while self.blocks:
            await self.client.flush_for(FLUSH_SECONDS)
            self.settle()
        elapsed = time.monotonic() - self.began
        self.tell()
        return {"elapsed_us": micros(elapsed), "latencies_us": little_endian(self.latencies)}

    async def hand_over(self, numbers: range, futures: list[Any]) -> None:
        """The loop that benchmarks measure."""
        send, topic, keys, width, rate = self.client.library.send, self.topic, self.keys, self.width, self.rate
        partition, key = None if self.partition < 0 else self.partition, None
        for n in numbers:
            if rate:
                await self.turn(n)
            if keys:
                key = b"key-%d" % (n % keys)
            try:
                future = await send(topic, (b"%d" % n).ljust(width, b"."), key, partition)
            except Exception as error:
                future = Refused(error)
            if rate:
                future.add_done_callback(partial(self.reported, n))
            futures.append(future)

    async def turn(self, n: int) -> None:
        early = self.began + n / self.rate - time.monotonic()
        if early > 0:
            await asyncio.sleep(early)

    def reported(self, n: int, future: asyncio.Future[Any]) -> None:
        if future.exception() is None:
            self.latencies[n] = micros(time.monotonic() - self.began - n / self.rate)

    def settle(self) -> None:
        """Takes the reports of blocks that are complete."""
        while self.blocks and all(future.done() for future in reversed(self.blocks[0][1])):
            first, futures = self.blocks.popleft()
            if self.partition < 0 and not any(future.exception() for future in futures):
                self.runs.append([first, -1, -1, len(futures)])  # the library spreads them
            else:
                self.take(first, futures)
        if time.monotonic() - self.since > RUN_SECONDS:
            self.tell()

    def take(self, first: int, futures: list[Any]) -> None:
        client = self.client
        for n, future in enumerate(futures, first):
            if (error := future.exception()) is None:
                self.runs.append([n, *(where(future.result()) if self.partition >= 0 else (-1, -1)), 1])
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

    def __init__(self, error: Exception) -> None:
        self.error = error

    def done(self) -> bool:
        return True

    def exception(self) -> Exception:
        return self.error

    def add_done_callback(self, _: Callable[..., None]) -> None:
        """It has no latency."""


def micros(elapsed: float) -> int:
    return min(round(elapsed * 1e6), LATENCY_UNKNOWN - 1)


def little_endian(numbers: array[int]) -> str:
    if sys.byteorder == "big":
        numbers.byteswap()
    return to_text(numbers.tobytes())


class Listener(ConsumerRebalanceListener):
    def __init__(self, changed: Callable[[str, Iterable[TopicPartition]], None]) -> None:
        self.changed = changed

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        self.changed("assigned", assigned)

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        self.changed("revoked", revoked)


class ConsumerClient(Client):
    def __init__(self, request: Request, output: Output, role: str) -> None:
        conf, _ = translate(role, request)
        self.group = conf.get("group_id")
        self.known: set[TopicPartition] = set()  # returned from, or sought
        self.returned = 0
        self.changes: list[dict[str, Any]] = []
        super().__init__(request["handle"], output, AIOKafkaConsumer(**conf))

    def changed(self, change: str, partitions: Iterable[TopicPartition]) -> None:
        if not partitions:
            return
        places = sorted([p.topic, p.partition] for p in partitions)
        self.changes.append({"change": change, "partitions": places, "after": self.returned})
        if change != "assigned":
            self.known.difference_update(partitions)

    def take_changes(self) -> list[dict[str, Any]]:
        changes, self.changes = self.changes, []
        return changes

    async def subscribe(self, request: Request) -> None:
        if self.group is None:
            raise errors.IllegalOperation("the settings have no group.id")
        self.library.subscribe(request["topics"], listener=Listener(self.changed))

    async def assign(self, request: Request) -> None:
        self.library.assign([TopicPartition(topic, partition) for topic, partition, _ in request["from"]])
        for position in request["from"]:
            await self.seek_to(*position)
        self.known.clear()

    async def seek(self, request: Request) -> None:
        await self.seek_to(*request["to"])

    async def seek_to(self, topic: str, partition: int, offset: int) -> None:
        where = TopicPartition(topic, partition)
        self.known.discard(where)
        if offset == -2:
            await self.library.seek_to_beginning(where)
        elif offset == -1:
            await self.library.seek_to_end(where)
        else:
            self.library.seek(where, offset)
            self.known.add(where)

    async def poll(self, request: Request) -> Answer:
        fetched = await self.library.getmany(timeout_ms=request["timeout_ms"])
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

    async def consume_many(self, request: Request) -> Answer:
        deadline = time.monotonic() + seconds(request)
        count, size, began, runs = 0, 0, 0.0, []
        latest: dict[TopicPartition, list] = {}
        while count < request["count"] and time.monotonic() < deadline:
            left = request["count"] - count
            fetched = await self.library.getmany(timeout_ms=POLL_SECONDS * 1000, max_records=left)
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

    async def positions(self, request: Request) -> Answer:
        known = sorted(self.known & self.library.assignment())
        return {"positions": [[*where, await self.library.position(where)] for where in known]}

    async def commit_offsets(self, request: Request) -> None:
        offsets = {TopicPartition(topic, partition): offset for topic, partition, offset in request["offsets"]}
        if offsets:
            await within(seconds(request), self.library.commit(offsets))

    async def committed(self, request: Request) -> Answer:
        positions = []
        for topic, partition in sorted(request["partitions"]):
            offset = await within(seconds(request), self.library.committed(TopicPartition(topic, partition)))
            if offset is not None:
                positions.append([topic, partition, offset])
        return {"positions": positions}

    async def group_metadata(self, request: Request) -> Answer:
        """The library sends a group's name alone with a transaction's offsets."""
        return {"group": self.group or "", "generation": -1, "member": "", "instance": ""}

    async def close(self, request: Request) -> Answer:
        await self.end()
        await within(seconds(request), self.library.stop())
        return {"rebalances": self.take_changes()}

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


async def hello(request: Request) -> Answer:
    return {
        "protocol": 1,
        "language": f"Python {platform.python_version()}",
        "library": "aiokafka",
        "version": aiokafka.__version__,
        "abilities": ABILITIES,
    }


async def check(request: Request) -> Answer:
    return {"differences": translate(request["role"], request)[1]}


class Program:
    makers: dict[str, tuple[type[Client], str]] = {
        "new-producer": (ProducerClient, "producer"),
        "new-transactional-producer": (ProducerClient, "transactional-producer"),
        "new-consumer": (ConsumerClient, "consumer"),
    }

    def __init__(self, output: Output) -> None:
        self.output = output
        self.clients: dict[str, Client] = {}

    async def serve(self, request: Request) -> None:
        verb = request["verb"]
        if verb == "hello":
            await self.output.answer(request, hello)
        elif verb == "check":
            await self.output.answer(request, check)
        elif verb in self.makers:
            await self.output.answer(request, self.make)
        elif (client := self.clients.get(request.get("handle", ""))) is not None:
            client.take(request)
        else:
            await self.output.answer(request, partial(unknown_verb, None))

    async def make(self, request: Request) -> None:
        kind, role = self.makers[request["verb"]]
        self.clients[request["handle"]] = kind(request, self.output, role)


async def stdin() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LINE_LIMIT)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


async def main() -> None:
    output = Output()
    log = logging.getLogger("aiokafka")
    log.setLevel(logging.INFO)
    log.addHandler(ToOutput(output))
    program = Program(output)
    lines = await stdin()
    while line := await lines.readline():
        request = json.loads(line)
        if request["verb"] == "shutdown":
            output.write({"id": request["id"]})
            break
        await program.serve(request)
    os._exit(0)  # whatever clients still do


if __name__ == "__main__":
    asyncio.run(main())
