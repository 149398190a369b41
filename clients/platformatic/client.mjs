// @platformatic/kafka as a client program of kcompare: it speaks clients/PROTOCOL.md on stdin and stdout.
//
// Its consumer is a stream of messages of a group's member, from which kcompare asks for them. Exact partitions are read in a
// group made for it, with a partitionAssigner that gives out just these. A stream cannot go back, so a seek makes another.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

// Elsewhere npm picks an old version of the library, or every call of the new one fails.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 22) || major === 23 || (major === 24 && minor < 6)) {
  process.stderr.write(`@platformatic/kafka needs Node.js 22.22 or 24.6, or later, and this is ${process.version}\n`);
  process.exit(1);
}

const { Consumer: Reader, Producer: Writer, compatibilityPartitioner } = await import('@platformatic/kafka');
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.resolve('@platformatic/kafka'))));

const abilities = ['idempotence', 'transactions', 'groups', 'rebalances', 'plain-close', 'bulk', 'paced'];

// ---- Settings: canonical keys, and what platformatic has for them.

// A Refusal is an error of the protocol that this program found by itself.
class Refusal extends Error {
  constructor(members) {
    super(members.text);
    this.members = members;
  }
}

const unsupported = (key, text) => new Refusal({ class: 'unsupported', key, text });

// A rule changes the options o for value v of its key, knowing all settings. It returns what platformatic does otherwise,
// and throws a string where it has nothing for the value.
const number = (name) => (o, v) => void (o.client[name] = Number(v));
const word = (name) => (o, v) => void (o.client[name] = v);
const differs = (text) => () => text;
const only = (wanted, text) => (o, v) => {
  if (v !== wanted) throw text;
};
const tlsOf = (o) => (o.tls ??= {});
const saslOf = (o) => (o.sasl ??= {});
const file = (name) => (o, v) => void (tlsOf(o)[name] = readFileSync(v));
const pem = (name) => (o, v) => void (tlsOf(o)[name] = v);

const oneDelay = 'platformatic always waits retry.backoff.ms between two attempts';

const ofEveryClient = {
  'bootstrap.servers': (o, v) => void (o.client.bootstrapBrokers = v.split(',')),
  'client.id': word('clientId'),
  'client.rack': word('clientRack'),
  'allow.auto.create.topics': (o, v) => void (o.client.autocreateTopics = v === 'true'),
  'max.in.flight.requests.per.connection': (o, v, all) => {
    o.client.maxInflights = Number(v);
    const one = all['enable.idempotence'] === 'true' && v !== '1';
    return one ? 'platformatic allows an idempotent producer one request in flight' : undefined;
  },
  'metadata.max.age.ms': number('metadataMaxAge'),
  'topic.metadata.refresh.interval.ms': number('metadataMaxAge'),
  'topic.metadata.refresh.fast.interval.ms': differs('platformatic asks again whenever it retries'),
  'retry.backoff.ms': number('retryDelay'),
  'retry.backoff.max.ms': (o, v, all) => (v === all['retry.backoff.ms'] ? undefined : oneDelay),
  'reconnect.backoff.ms': differs(oneDelay),
  'reconnect.backoff.max.ms': differs(oneDelay),
  'socket.timeout.ms': number('requestTimeout'), // network/connection.js
  'socket.connection.setup.timeout.ms': number('connectTimeout'),
  'security.protocol': (o, v) => void (o.security = v.toLowerCase()),
  'sasl.mechanism': (o, v) => {
    if (!/^(PLAIN|SCRAM-SHA-(256|512))$/.test(v)) throw 'this program has PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512';
    saslOf(o).mechanism = v;
  },
  'sasl.username': (o, v) => void (saslOf(o).username = v),
  'sasl.password': (o, v) => void (saslOf(o).password = v),
  'ssl.ca.location': file('ca'),
  'ssl.ca.pem': pem('ca'),
  'ssl.certificate.location': file('cert'),
  'ssl.certificate.pem': pem('cert'),
  'ssl.key.location': file('key'),
  'ssl.key.pem': pem('key'),
  'ssl.key.password': pem('passphrase'),
  'enable.ssl.certificate.verification': (o, v) => void (tlsOf(o).rejectUnauthorized = v === 'true'),
  'ssl.endpoint.identification.algorithm': (o, v) => {
    if (v === 'none') tlsOf(o).checkServerIdentity = () => undefined;
  },
};

const ofProducers = {
  acks: (o, v) => {
    const acks = v === 'all' ? -1 : Number(v);
    if (acks > 1) throw 'platformatic has all, 1 and 0';
    o.send.acks = acks;
  },
  'batch.num.messages': differs('platformatic gathers no records, each call of send is a request'),
  'batch.size': differs('platformatic gathers no records, each call of send is a request'),
  'compression.type': (o, v) => void (o.send.compression = v),
  'delivery.timeout.ms': differs('platformatic has no limit for the time of a record, only one for its retries'),
  'enable.idempotence': (o, v) => void (o.client.idempotent = v === 'true'),
  'linger.ms': (o, v) => (Number(v) === 0 ? undefined : 'platformatic never lingers'),
  partitioner: (o, v) => {
    if (v !== 'murmur2_random') throw 'this program has murmur2_random, compatibilityPartitioner, alone';
    o.java = true;
    return 'records without a key go to one partition after the other';
  },
  'queue.buffering.max.kbytes': differs('platformatic has no limit for what waits'),
  'queue.buffering.max.messages': differs('platformatic has no limit for what waits'),
  'request.timeout.ms': number('timeout'),
  retries: (o, v, all) => {
    o.client.retries = Number(v);
    if (all['enable.idempotence'] === 'true' && Number(v) <= 1)
      throw 'platformatic retries idempotent records for ever then';
  },
  'transaction.timeout.ms': (o, v, all) =>
    v === all['request.timeout.ms'] ? undefined : 'platformatic takes request.timeout.ms for it',
  'transactional.id': word('transactionalId'),
};

const ofConsumers = {
  'auto.commit.interval.ms': (o, v) => {
    o.interval = Number(v);
    if (o.interval < 100) throw 'platformatic commits every 100 ms at most';
  },
  'auto.offset.reset': (o, v) => {
    if (v !== 'earliest' && v !== 'latest') throw 'platformatic has earliest and latest';
    o.fallback = v;
  },
  'check.crcs': (o, v) => (v === 'true' ? 'platformatic verifies no checksum' : undefined),
  'enable.auto.commit': (o, v) => void (o.autocommit = v === 'true'),
  'enable.auto.offset.store': only('true', 'platformatic commits what it has handed to the stream'),
  'fetch.max.bytes': number('maxBytes'),
  'fetch.min.bytes': number('minBytes'),
  'fetch.wait.max.ms': number('maxWaitTime'),
  'group.id': word('groupId'),
  'group.instance.id': word('groupInstanceId'),
  'group.protocol': word('groupProtocol'),
  'heartbeat.interval.ms': number('heartbeatInterval'),
  'isolation.level': (o, v) => void (o.client.isolationLevel = v === 'read_uncommitted' ? 0 : 1),
  'max.partition.fetch.bytes': number('maxBytesPerPartition'),
  'max.poll.interval.ms': (o, v) => {
    o.client.rebalanceTimeout = Number(v);
    return 'platformatic waits so long in a rebalance, and lets a busy program keep its partitions';
  },
  'partition.assignment.strategy': (o, v) => {
    const first = v.split(',')[0];
    if (first === 'cooperative-sticky') o.client.protocols = [{ name: first, version: 1 }];
    return first === 'range' ? 'platformatic has roundrobin and cooperative-sticky, and takes roundrobin' : undefined;
  },
  'session.timeout.ms': number('sessionTimeout'),
};

const rules = {
  producer: { ...ofEveryClient, ...ofProducers },
  'transactional-producer': { ...ofEveryClient, ...ofProducers },
  consumer: { ...ofEveryClient, ...ofConsumers },
};

// translate says what platformatic is to be made with, and what it does otherwise. Settings of the other role mean nothing.
function translate({ role, settings, bare }) {
  const o = { client: { clientId: 'platformatic' }, send: {}, differences: [], java: !bare, autocommit: bare };
  if (role === 'transactional-producer') o.client.idempotent = true; // it refuses to begin a transaction otherwise
  for (const key of Object.keys(settings).sort()) {
    const rule = rules[role][key];
    if (!rule && (ofProducers[key] || ofConsumers[key])) continue;
    const difference = applied(rule, key, o, settings);
    if (difference) o.differences.push(`${key}: ${difference}`);
  }
  secure(o);
  return o;
}

function applied(rule, key, o, settings) {
  if (!rule) throw unsupported(key, 'platformatic has nothing like it');
  try {
    return rule(o, settings[key], settings);
  } catch (e) {
    if (typeof e === 'string') throw unsupported(key, e);
    throw new Refusal({ class: 'config', keys: [key], text: e.message });
  }
}

function secure(o) {
  const protocol = o.security ?? 'plaintext';
  if (protocol.endsWith('ssl')) o.client.tls = o.tls ?? {};
  if (protocol.startsWith('sasl_')) o.client.sasl = { mechanism: 'PLAIN', ...o.sasl };
}

// ---- Errors: what a program can do about them.

const classes = {
  INVALID_PRODUCER_EPOCH: 'fenced',
  PRODUCER_FENCED: 'fenced',
  FENCED_INSTANCE_ID: 'fenced',
  TRANSACTION_ABORTABLE: 'abortable',
  INVALID_TXN_STATE: 'fatal',
  INVALID_PRODUCER_ID_MAPPING: 'fatal',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 'fatal',
  CLUSTER_AUTHORIZATION_FAILED: 'fatal',
  SASL_AUTHENTICATION_FAILED: 'fatal',
  UNSUPPORTED_VERSION: 'fatal',
};

// The codes with which a group refuses a member that is not in it any more.
const membership = new Set(['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'REBALANCE_IN_PROGRESS']);

// The codes with which brokers refuse a record whenever it comes.
const refused = new Set([
  'INVALID_RECORD',
  'INVALID_REQUIRED_ACKS',
  'INVALID_TIMESTAMP',
  'INVALID_TOPIC_EXCEPTION',
  'MESSAGE_TOO_LARGE',
  'POLICY_VIOLATION',
  'RECORD_LIST_TOO_LARGE',
  'TOPIC_AUTHORIZATION_FAILED',
  'UNSUPPORTED_COMPRESSION_TYPE',
]);

// errorOf is the protocol's error of what platformatic threw in a call.
function errorOf(verb, e) {
  if (e instanceof Refusal) return e.members;
  const all = causesOf(e);
  const broker = all.findLast((cause) => cause.apiId); // the last attempt's
  const last = broker ?? all.at(-1);
  return {
    class: classOf(verb, e, broker, all),
    code: last.apiId ?? e.code ?? e.name,
    text: `${e.message} ${last.message}`,
  };
}

// causesOf lists an error and all that are in it: platformatic gathers those of all attempts.
const causesOf = (e) => [
  e,
  ...(e.errors ?? []).flatMap(causesOf),
  ...(e.cause instanceof Error ? causesOf(e.cause) : []),
];

function classOf(verb, e, broker, all) {
  if (classes[broker?.apiId]) return classes[broker.apiId];
  const own = all.at(-1).code === 'PLT_KFK_USER' || all.at(-1) instanceof TypeError; // refused before anything was sent
  if (refused.has(broker?.apiId) || own) return 'application';
  const again = !broker || broker.canRetry || membership.has(broker.apiId);
  switch (verb) {
    case 'produce':
    case 'commit':
    case 'abort': // of several attempts, an earlier one may have been executed
      return broker && all.length === 2 && again ? 'retriable' : 'unknown-outcome';
    case 'send-offsets':
      return again ? 'abortable' : 'application';
  }
  return again ? 'retriable' : 'application';
}

// ---- Clients

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const bytes = (base64) => (base64 == null ? null : Buffer.from(base64, 'base64'));
const text = (buffer) => (buffer == null ? null : buffer.toString('base64'));

class Producer {
  #o;
  #handle;
  #producer;
  #prepared; // what init began, because platformatic fetches the producer id in the first beginTransaction() only
  #transaction;
  #next = 0; // the number of the next record
  #pending = 0;
  #reported = () => {}; // called when none is pending
  #closed = false;

  constructor(handle, o) {
    this.#handle = handle;
    this.#o = o;
    this.#producer = new Writer(o.client);
  }

  produce({ record, topic, partition, key, value, headers = [] }) {
    this.#next = record + 1;
    const message = { topic, key: bytes(key) ?? undefined, value: bytes(value), headers: headersOf(headers) };
    if (partition >= 0) message.partition = partition;
    this.#send({ record, count: 1, partition, messages: [message] });
  }

  // #send reports records from `record` on, and returns whether they were acknowledged: where they are, if platformatic tells.
  async #send({ record, count, partition, messages }) {
    const report = { handle: this.#handle, record, ...(count > 1 && { count }) };
    this.#pending += count;
    try {
      const { offsets = [] } = await this.#sent(messages);
      report.outcome = 'acked';
      if (offsets.length === 1)
        Object.assign(report, { partition: offsets[0].partition, offset: Number(offsets[0].offset) });
    } catch (e) {
      Object.assign(report, { outcome: 'failed', error: errorOf('produce', e) });
      if (partition >= 0) report.partition = partition;
    }
    if (!this.#closed) say(report);
    this.#pending -= count;
    if (this.#pending === 0) this.#reported();
    return report.outcome === 'acked';
  }

  // #sent: the partitioner of Java's keys is not made for records without one.
  async #sent(messages) {
    const partitioner = this.#o.java && messages[0].key ? { partitioner: compatibilityPartitioner } : {};
    const sender = this.#o.client.transactionalId ? this.#inTransaction() : this.#producer;
    return sender.send({ messages, ...this.#o.send, ...partitioner });
  }

  // #inTransaction: platformatic itself refuses what comes after the end of a transaction.
  #inTransaction() {
    if (this.#transaction) return this.#transaction;
    throw new Refusal({ class: 'application', code: 'NO_TRANSACTION', text: 'no transaction was begun' });
  }

  async #settled(ms) {
    if (this.#pending === 0) return;
    const time = new AbortController();
    const none = new Promise((resolve) => (this.#reported = resolve));
    const waits = ms === undefined ? [none] : [none, sleep(ms, undefined, time).catch(() => {})];
    await Promise.race(waits);
    time.abort();
  }

  async flush({ timeout_ms }) {
    await this.#settled(timeout_ms);
    return { pending: this.#pending };
  }

  async init() {
    this.#prepared = await this.#producer.beginTransaction();
    return {};
  }

  async begin() {
    this.#transaction = this.#prepared ?? (await this.#producer.beginTransaction());
    this.#prepared = undefined;
    return {};
  }

  // sendOffsets: platformatic takes the messages that were dealt with, and of those their places only.
  async sendOffsets({ offsets, group }) {
    const consumer = { groupId: group.group, generationId: group.generation, memberId: group.member };
    consumer.coordinatorId = group.coordinator;
    await this.#inTransaction().addConsumer(consumer);
    for (const [topic, partition, next] of offsets) {
      await this.#inTransaction().addOffset({ topic, partition, offset: BigInt(next - 1), metadata: { consumer } });
    }
    return {};
  }

  async commit() {
    await this.#settled();
    return this.#ended('commit', 'committed');
  }

  async abort() {
    return this.#ended('abort', 'aborted');
  }

  async #ended(verb, outcome) {
    try {
      await this.#inTransaction()[verb]();
      return { outcome };
    } catch (e) {
      return { outcome: 'unknown', error: errorOf(verb, e) };
    }
  }

  // produceMany sends as many records in each call as its batches may have, and as many calls at a time as a connection
  // may have requests in flight. Of records that are spread over partitions platformatic does not tell where each one is.
  async produceMany({ topic, partition, count, keys, value_bytes, rate = 0 }) {
    const pace = new Pace(rate, count);
    const first = this.#next;
    this.#next += count;
    const inFlight = new Set();
    for (let n = 0, size; n < count && !this.#closed; n += size) {
      size = Math.min(await pace.due(n), recordsASend, count - n);
      const messages = Array.from({ length: size }, (_, i) => numbered(topic, n + i, keys, value_bytes, partition));
      const of = [n, size];
      const sending = this.#send({ record: first + n, count: size, partition, messages }).then((acked) => {
        if (acked) pace.reported(...of);
        inFlight.delete(sending);
      });
      inFlight.add(sending);
      if (inFlight.size >= (this.#o.client.maxInflights ?? 5)) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
    return { elapsed_us: pace.elapsed(), latencies_us: pace.latencies() };
  }

  async close({ plainly, timeout_ms }) {
    if (plainly) {
      await this.#producer.close();
      return {};
    }
    this.#closed = true;
    await Promise.race([this.#producer.close(true), sleep(this.#pending > 0 ? 0 : timeout_ms / 2)]).catch(() => {});
    return {};
  }
}

const recordsASend = 1000;

// A Pace says which records are due, and keeps the time from then until each was reported. Node's timers know whole
// milliseconds alone, so what became due meanwhile is handed over together.
class Pace {
  #rate; // records a second; 0: all are due
  #began = performance.now();
  #latencies;

  constructor(rate, count) {
    this.#rate = rate;
    this.#latencies = new Uint32Array(rate > 0 ? count : 0).fill(latencyUnknown);
  }

  // due waits for record n, and says how many are due from there on.
  async due(n) {
    if (this.#rate === 0) return Infinity;
    for (let early; (early = this.#of(n) - performance.now()) > 0;) await sleep(early);
    return 1 + Math.floor(((performance.now() - this.#of(n)) * this.#rate) / 1000);
  }

  #of(n) {
    return this.#began + (n * 1000) / this.#rate;
  }

  reported(first, count) {
    if (this.#rate === 0) return;
    const now = performance.now();
    for (let n = first; n < first + count; n++) {
      this.#latencies[n] = Math.min(Math.round((now - this.#of(n)) * 1000), latencyUnknown - 1);
    }
  }

  elapsed() {
    return Math.round((performance.now() - this.#began) * 1000);
  }

  latencies() {
    const bytes = Buffer.from(this.#latencies.buffer);
    return (endianness() === 'LE' ? bytes : bytes.swap32()).toString('base64');
  }
}

const latencyUnknown = 0xffffffff;

// headersOf: the keys of the map are buffers, so a name may come twice.
const headersOf = (pairs) => new Map(pairs.map(([name, value]) => [Buffer.from(name), bytes(value)]));

function numbered(topic, n, keys, size, partition) {
  const message = { topic, value: Buffer.from(String(n).padEnd(size, '.')) };
  if (keys > 0) message.key = Buffer.from(`key-${n % keys}`);
  if (partition >= 0) message.partition = partition;
  return message;
}

class Consumer {
  #o;
  #handle;
  #consumer;
  #stream;
  #topics = [];
  #starts = new Map(); // where each partition begins, as platformatic found it
  #held = [];
  #positions = new Map();
  #wake = () => {}; // ends the waiting of poll
  #failure;
  #closed = false;
  #returned = 0;
  #rebalances = [];

  constructor(handle, o) {
    this.#handle = handle;
    this.#o = o;
    new Reader({ groupId: 'kcompare', ...o.client }).close(true); // refuses what is wrong
  }

  async subscribe({ topics }) {
    if (!this.#o.client.groupId) {
      throw new Refusal({ class: 'application', code: 'NO_GROUP', text: 'expected a group.id in the settings' });
    }
    this.#make({});
    this.#background(() => this.#open(topics, { mode: 'committed', fallbackMode: this.#o.fallback ?? 'latest' }));
    return {};
  }

  // assign reads in a group of its own.
  async assign({ from }) {
    const topics = [...new Set(from.map(([topic]) => topic))];
    this.#make({ groupId: `${topics[0]}-${randomUUID()}`, partitionAssigner: exactly(from), groupProtocol: 'classic' });
    this.#background(async () => {
      const ends = new Map();
      for (const end of [-1, -2]) {
        if (from.some(([, , offset]) => offset === end)) {
          ends.set(end, await this.#consumer.listOffsets({ topics, timestamp: BigInt(end) }));
        }
      }
      const offsets = from.map(([topic, partition, offset]) => ({
        topic,
        partition,
        offset: offset >= 0 ? BigInt(offset) : ends.get(offset).get(topic)[partition],
      }));
      await this.#open(topics, { mode: 'manual', offsets });
    });
    return {};
  }

  #make(group) {
    const consumer = new Reader({ ...this.#o.client, ...group });
    consumer.on('consumer:group:join', () => this.#joined(consumer.assignments ?? []));
    consumer.on('consumer:group:rebalance', () => this.#gone('revoked'));
    this.#consumer = consumer;
  }

  // #background: what goes wrong is an error of the next poll.
  #background(work) {
    work().catch((e) => this.#failed(e));
  }

  #failed(e) {
    if (this.#closed) return;
    this.#failure = e;
    this.#wake();
  }

  async #open(topics, options) {
    this.#topics = topics;
    const autocommit = this.#o.autocommit ? (this.#o.interval ?? true) : false;
    const stream = await this.#consumer.consume({
      topics,
      autocommit,
      maxWaitTime: this.#o.client.maxWaitTime,
      ...options,
    });
    this.#stream = stream;
    stream.once('offsets', () => (this.#starts = new Map(stream.offsetsToFetch)));
    stream.on('readable', () => this.#wake());
    stream.on('error', (e) => stream === this.#stream && this.#failed(e));
    this.#wake();
  }

  #joined(assignments) {
    this.#gone('lost');
    this.#held = assignments.flatMap(({ topic, partitions }) => partitions.map((p) => [topic, p]));
    this.#tell('assigned');
  }

  #gone(change) {
    if (this.#held.length > 0) this.#tell(change);
    this.#held = [];
  }

  #tell(change) {
    this.#rebalances.push({ change, partitions: this.#held, after: this.#returned });
  }

  #told() {
    return this.#rebalances.length > 0 ? { rebalances: this.#rebalances.splice(0) } : {};
  }

  // #take is what the stream has: nothing when the time is up.
  async #take(ms) {
    const end = performance.now() + ms;
    for (;;) {
      const messages = this.#read();
      if (messages.length > 0) return messages;
      if (this.#failure) throw this.#failure;
      const left = end - performance.now();
      if (left <= 0 || this.#closed) return [];
      const time = new AbortController();
      await Promise.race([
        new Promise((resolve) => (this.#wake = resolve)),
        sleep(left, undefined, time).catch(() => {}),
      ]);
      time.abort();
    }
  }

  #read() {
    const messages = [];
    for (let m; messages.length < recordsAPoll && (m = this.#stream?.read());) {
      messages.push(m);
      this.#positions.set(keyOf(m.topic, m.partition), Number(m.offset) + 1);
    }
    this.#returned += messages.length;
    return messages;
  }

  async poll({ timeout_ms }) {
    const messages = await this.#take(timeout_ms);
    const records = messages.map(({ topic, partition, offset, key, value, headerEntries }) => ({
      topic,
      partition,
      offset: Number(offset),
      key: text(key),
      value: text(value),
      headers: headerEntries.map(([name, value]) => [name.toString(), text(value)]),
    }));
    return { records, ...this.#told() };
  }

  async seek({ to: [topic, partition, offset] }) {
    this.#positions.set(keyOf(topic, partition), offset);
    const offsets = this.#held.map(([t, p]) => ({
      topic: t,
      partition: p,
      offset: BigInt(this.#positions.get(keyOf(t, p)) ?? this.#starts.get(`${t}:${p}`) ?? 0),
    }));
    const before = this.#stream;
    this.#stream = undefined;
    await before?.close();
    await this.#open(this.#topics, { mode: 'manual', offsets });
    return {};
  }

  async positions() {
    const positions = [...this.#positions].map(([key, offset]) => [...JSON.parse(key), offset]);
    return { positions: positions.sort(byPlace) };
  }

  async commitOffsets({ offsets }) {
    const list = offsets.map(([topic, partition, offset]) => ({
      topic,
      partition,
      offset: BigInt(offset),
      leaderEpoch: -1,
    }));
    await this.#consumer.commit({ offsets: list });
    return {};
  }

  async committed({ partitions }) {
    const topics = {};
    for (const [topic, partition] of partitions) (topics[topic] ??= []).push(partition);
    const asked = Object.entries(topics).map(([topic, list]) => ({ topic, partitions: list }));
    const stored = await this.#consumer.listCommittedOffsets({ topics: asked });
    const positions = partitions
      .map(([topic, partition]) => [topic, partition, Number(stored.get(topic)?.[partition] ?? -1)])
      .filter(([, , offset]) => offset >= 0);
    return { positions: positions.sort(byPlace) };
  }

  async groupMetadata() {
    const { groupId, generationId, memberId, coordinatorId } = this.#consumer;
    const instance = this.#o.client.groupInstanceId ?? '';
    const group = {
      group: groupId,
      generation: generationId,
      member: memberId ?? '',
      instance,
      consumer: this.#handle,
    };
    return { ...group, coordinator: coordinatorId };
  }

  async consumeMany({ count, timeout_ms }) {
    const end = performance.now() + timeout_ms;
    const open = new Map();
    const result = { count: 0, bytes: 0, elapsed_us: 0, runs: [] };
    let began;
    while (result.count < count && performance.now() < end) {
      const messages = await this.#take(end - performance.now());
      if (messages.length === 0) break;
      began ??= performance.now();
      result.count += messages.length;
      for (const message of messages) {
        result.bytes += (message.key?.length ?? 0) + (message.value?.length ?? 0);
        addTo(open, result.runs, message);
      }
      result.elapsed_us = Math.round((performance.now() - began) * 1000);
    }
    return result;
  }

  // close leaves the group, if it returns.
  async close({ timeout_ms }) {
    this.#closed = true;
    this.#wake();
    await Promise.race([this.#consumer?.close(true), sleep(timeout_ms / 2)]).catch(() => {});
    this.#gone('revoked');
    return this.#told();
  }
}

const recordsAPoll = 500;

const keyOf = (topic, partition) => JSON.stringify([topic, partition]);
const byPlace = (a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1);

function addTo(open, runs, { topic, partition, offset }) {
  const key = keyOf(topic, partition);
  const run = open.get(key);
  if (run && run[2] + run[3] === Number(offset)) return void run[3]++;
  open.set(key, [topic, partition, Number(offset), 1]);
  runs.push(open.get(key));
}

// exactly is an assigner that gives the only member of its group these partitions.
const exactly = (from) => (_current, members) => {
  const assignments = new Map();
  for (const [topic, partition] of from) {
    if (!assignments.has(topic)) assignments.set(topic, { topic, partitions: [] });
    assignments.get(topic).partitions.push(partition);
  }
  return [...members.keys()].map((memberId) => ({ memberId, assignments }));
};

// ---- The protocol

const verbs = {
  flush: 'flush',
  init: 'init',
  begin: 'begin',
  'send-offsets': 'sendOffsets',
  commit: 'commit',
  abort: 'abort',
  'produce-many': 'produceMany',
  subscribe: 'subscribe',
  assign: 'assign',
  poll: 'poll',
  seek: 'seek',
  positions: 'positions',
  'commit-offsets': 'commitOffsets',
  committed: 'committed',
  'group-metadata': 'groupMetadata',
  'consume-many': 'consumeMany',
  close: 'close',
};

const clients = new Map(); // by handle: the client, the last call in line, how many are not answered

const made = (role, Client) => (request) => {
  const client = new Client(request.handle, translate({ ...request, role }));
  clients.set(request.handle, { client, last: Promise.resolve(), calls: 0 });
  return {};
};

const ofProgram = {
  hello: () => ({
    protocol: 1,
    language: `Node.js ${process.version}`,
    library: '@platformatic/kafka',
    version,
    abilities,
  }),
  check: (request) => ({ differences: translate(request).differences }),
  'new-producer': made('producer', Producer),
  'new-transactional-producer': made('transactional-producer', Producer),
  'new-consumer': made('consumer', Consumer),
  shutdown: () => ({}),
};

async function answer({ id, verb }, work) {
  try {
    say({ id, ...(await work()) });
  } catch (e) {
    say({ id, error: errorOf(verb, e) });
  }
  if (verb === 'shutdown') process.exit(0);
}

// receive keeps the calls of a client in line. Only close overtakes a call that waits, and ends it.
function receive(line) {
  const request = JSON.parse(line);
  const own = ofProgram[request.verb];
  if (own) return void answer(request, () => own(request));
  const entry = clients.get(request.handle);
  if (request.verb === 'produce') {
    entry.last = entry.last.then(() => entry.client.produce(request));
    return;
  }
  const call = () => answer(request, () => entry.client[verbs[request.verb]](request)).then(() => entry.calls--);
  const overtakes = request.verb === 'close' && entry.calls > 0;
  entry.calls++;
  if (overtakes) call();
  else entry.last = entry.last.then(call);
}

createInterface({ input: process.stdin })
  .on('line', receive)
  .on('close', () => process.exit(0));
