"""A client program for kcompare in a hundred lines; docs/write-a-client.md goes through it."""

import base64, json, os, pathlib, platform, sys, threading, time

try:
    import confluent_kafka as kafka
except ImportError:  # then with the Python that `make setup` made, if it is there
    python = pathlib.Path(__file__).resolve().parents[2] / ".venv/bin/python"
    if sys.prefix != sys.base_prefix or not python.exists():
        sys.exit("tiny_client.py needs confluent-kafka: pip install confluent-kafka, or make setup in the checkout")
    os.execv(python, [str(python), *sys.argv])

HELLO = {"protocol": 1, "language": "Python " + platform.python_version(), "abilities": ["idempotence"],
         "library": "librdkafka", "version": kafka.libversion()[0], "via": "confluent-kafka " + kafka.version()}
NOT_WRITTEN = {"MSG_SIZE_TOO_LARGE", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION"}  # of all others nobody can be sure
clients, lock = {}, threading.Lock()


def say(**line):
    with lock:
        print(json.dumps(line), flush=True)


def encode(data):
    return None if data is None else base64.b64encode(data).decode()


def decode(text):
    return None if text is None else base64.b64decode(text)


def failure(e):
    if 'No such configuration property: "' in e.str():
        return {"class": "unsupported", "key": e.str().split('"')[1], "text": e.str()}
    return {"class": "application" if e.name() in NOT_WRITTEN else "unknown-outcome", "code": e.name(), "text": e.str()}


class Producer:
    def __init__(self, handle, settings):
        self.handle, self.open, self.library = handle, set(), kafka.Producer(settings)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):  # the library reports to whoever polls
        while library := self.library:
            library.poll(0.05)

    def produce(self, r):
        self.open.add(r["record"])
        headers = [(name, decode(value)) for name, value in r.get("headers", [])]
        report = lambda e, m: self.report(r["record"], e, partition=m.partition(), offset=m.offset())
        try:
            self.library.produce(r["topic"], decode(r["value"]), decode(r["key"]), r["partition"], report, headers=headers)
        except kafka.KafkaException as e:
            self.report(r["record"], e.args[0])

    def report(self, record, e, **place):
        outcome = {"outcome": "failed", "error": failure(e)} if e else {"outcome": "acked", **place}
        say(handle=self.handle, record=record, **outcome)
        self.open.discard(record)

    def flush(self, r):
        end = time.monotonic() + r["timeout_ms"] / 1000
        self.library.flush(r["timeout_ms"] / 1000)
        while self.open and time.monotonic() < end:
            time.sleep(0.001)  # the other thread is about to report
        return {"pending": len(self.open)}

    def close(self, r):
        library, self.library = self.library, None
        library.purge()
        library.poll(0)


class Consumer:
    def __init__(self, handle, settings):
        self.next, self.library = {}, kafka.Consumer({"group.id": "none", "enable.auto.commit": "false", **settings})

    def assign(self, r):
        self.library.assign([kafka.TopicPartition(*place) for place in r["from"]])

    def seek(self, r):
        topic, partition, offset = r["to"]
        self.library.seek(kafka.TopicPartition(topic, partition, offset))
        self.next[topic, partition] = offset

    def poll(self, r):
        first = self.library.poll(r["timeout_ms"] / 1000)
        return {"records": [self.record(m) for m in ([first, *self.library.consume(500, 0)] if first else [])]}

    def record(self, m):
        if m.error():
            raise kafka.KafkaException(m.error())
        self.next[m.topic(), m.partition()] = m.offset() + 1
        headers = [[name, encode(value)] for name, value in m.headers() or []]
        return {"topic": m.topic(), "partition": m.partition(), "offset": m.offset(), "key": encode(m.key()),
                "value": encode(m.value()), "headers": headers}

    def positions(self, r):
        return {"positions": [[*place, offset] for place, offset in sorted(self.next.items())]}

    def close(self, r):
        self.library.close()


def answer(r):
    verb, kind = r["verb"], Consumer if "consumer" in r["verb"] + r.get("role", "") else Producer
    settings = r.get("settings", {}) | ({"batch.num.messages": "1"} if r.get("one_record_per_batch") else {})
    if verb == "hello":
        return HELLO
    if verb == "check":
        kind("", settings | {"bootstrap.servers": ""}).close(r)
        return {"differences": []}
    if verb.startswith("new-"):
        clients[r["handle"]] = kind(r["handle"], settings)
    elif verb != "shutdown":
        return getattr(clients[r["handle"]], verb)(r)


for line in sys.stdin:
    r = json.loads(line)
    try:
        result = answer(r) or {}
    except kafka.KafkaException as e:
        result = {"error": failure(e.args[0])}
    if "id" in r:
        say(id=r["id"], **result)
    if r["verb"] == "shutdown":
        break
os._exit(0)  # whatever other threads are doing
