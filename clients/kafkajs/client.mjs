// kafkajs as a client program of kcompare: it speaks clients/PROTOCOL.md on stdin and stdout.
//
// kafkajs hands records to a program that it calls back, while kcompare asks for them: each batch is kept until it was
// asked for, and counts as dealt with when the program asks again. kafkajs reads as a member of a group only, so exact
// partitions are read in a group made for it, with a PartitionAssigner that gives out just these.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import { endianness } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import kafkajs from 'kafkajs';

const { AssignerProtocol, CompressionTypes, Kafka, PartitionAssigners, Partitioners } = kafkajs;
const { version } = createRequire(import.meta.url)('kafkajs/package.json');

const abilities = ['idempotence', 'transactions', 'groups', 'rebalances', 'plain-close', 'bulk', 'paced'];

// ---- Settings: canonical keys, and what kafkajs has for them.

// A Refusal is an error of the protocol that this program found by itself.
class Refusal extends Error {
  constructor(members) {
    super(members.text);
    this.members = members;
  }
}

const unsupported = (key, text) => new Refusal({ class: 'unsupported', key, text });

// A rule changes the options o for value v of its key, knowing all settings. It returns what kafkajs does otherwise,
// and throws a string where it has nothing for the value.
const number = (part, name) => (o, v) => void (o[part][name] = Number(v));
const differs = (text) => () => text;
const only = (wanted, text) => (o, v) => {
  if (v !== wanted) throw text;
};
const file = (name) => (o, v) => void (tlsOf(o)[name] = readFileSync(v));
const pem = (name) => (o, v) => void (tlsOf(o)[name] = v);
const tlsOf = (o) => (o.tls ??= {});
const saslOf = (o) => (o.sasl ??= {});

const ofEveryClient = {
  'bootstrap.servers': (o, v) => void (o.client.brokers = v.split(',')),
  'client.id': (o, v) => void (o.client.clientId = v),
  'allow.auto.create.topics': (o, v) => void (o.both.allowAutoTopicCreation = v === 'true'),
  'max.in.flight.requests.per.connection': number('both', 'maxInFlightRequests'),
  'metadata.max.age.ms': number('both', 'metadataMaxAge'),
  'topic.metadata.refresh.interval.ms': number('both', 'metadataMaxAge'),
  'topic.metadata.refresh.fast.interval.ms': differs('kafkajs asks again whenever it retries'),
  'retry.backoff.ms': number('retry', 'initialRetryTime'),
  'retry.backoff.max.ms': number('retry', 'maxRetryTime'),
  'reconnect.backoff.ms': differs('kafkajs waits as long as between any other attempts'),
  'reconnect.backoff.max.ms': differs('kafkajs waits as long as between any other attempts'),
  'socket.timeout.ms': number('client', 'requestTimeout'),
  'socket.connection.setup.timeout.ms': number('client', 'connectionTimeout'),
  'socket.keepalive.enable': only('true', 'kafkajs always keeps connections alive'),
  'security.protocol': (o, v) => void (o.security = v.toLowerCase()),
  'sasl.mechanism': (o, v) => {
    if (!/^(PLAIN|SCRAM-SHA-(256|512))$/i.test(v)) throw 'kafkajs has PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512';
    saslOf(o).mechanism = v.toLowerCase();
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
    if (acks > 1) throw 'kafkajs has all, 1 and 0';
    o.send.acks = acks;
  },
  'batch.num.messages': differs('kafkajs gathers no records, each call of send is a request'),
  'batch.size': differs('kafkajs gathers no records, each call of send is a request'),
  'compression.type': (o, v) => {
    const types = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP };
    if (!(v in types)) throw 'kafkajs has gzip alone built in';
    o.send.compression = types[v];
  },
  'delivery.timeout.ms': differs('kafkajs has no limit for the time of a record, only one for its retries'),
  'enable.idempotence': (o, v) => void (o.producer.idempotent = v === 'true'),
  'linger.ms': (o, v) => (Number(v) === 0 ? undefined : 'kafkajs never lingers'),
  partitioner: (o, v) => {
    if (v !== 'murmur2_random') throw 'kafkajs has murmur2_random alone built in';
    o.producer.createPartitioner = Partitioners.DefaultPartitioner;
    return 'records without a key go to one partition after the other';
  },
  'queue.buffering.max.kbytes': differs('kafkajs has no limit for what waits'),
  'queue.buffering.max.messages': differs('kafkajs has no limit for what waits'),
  'request.timeout.ms': number('send', 'timeout'),
  retries: number('retry', 'retries'),
  'transaction.timeout.ms': number('producer', 'transactionTimeout'),
  'transactional.id': (o, v) => void (o.producer.transactionalId = v),
};

const ofConsumers = {
  'auto.commit.interval.ms': (o, v, all) => {
    o.run.autoCommitInterval = Number(v);
    return all['enable.auto.commit'] === 'false' ? undefined : 'kafkajs commits at the end of each batch, too';
  },
  'auto.offset.reset': (o, v) => {
    if (v !== 'earliest' && v !== 'latest') throw 'kafkajs has earliest and latest';
    o.subscribe.fromBeginning = v === 'earliest';
  },
  'check.crcs': (o, v) => (v === 'true' ? 'kafkajs verifies no checksum' : undefined),
  'client.rack': (o, v) => void (o.consumer.rackId = v),
  'enable.auto.commit': (o, v) => void (o.run.autoCommit = v === 'true'),
  'enable.auto.offset.store': only('true', 'kafkajs reads on from what it commits'),
  'fetch.max.bytes': number('consumer', 'maxBytes'),
  'fetch.min.bytes': number('consumer', 'minBytes'),
  'fetch.wait.max.ms': number('consumer', 'maxWaitTimeInMs'),
  'group.id': (o, v) => void (o.consumer.groupId = v),
  'group.protocol': only('classic', 'kafkajs has the classic protocol alone'),
  'heartbeat.interval.ms': number('consumer', 'heartbeatInterval'),
  'isolation.level': (o, v) => void (o.consumer.readUncommitted = v === 'read_uncommitted'),
  'max.partition.fetch.bytes': number('consumer', 'maxBytesPerPartition'),
  'max.poll.interval.ms': (o, v) => {
    o.consumer.rebalanceTimeout = Number(v);
    return 'kafkajs waits so long in a rebalance; a busy program is thrown out when its session ends';
  },
  'partition.assignment.strategy': (o, v) => {
    const names = v.split(',');
    if (!names.some((name) => name === 'range' || name === 'roundrobin')) throw 'kafkajs has roundrobin alone';
    return names[0] === 'roundrobin' ? undefined : 'kafkajs has roundrobin alone, and takes that';
  },
  'session.timeout.ms': number('consumer', 'sessionTimeout'),
};

const rules = {
  producer: { ...ofEveryClient, ...ofProducers },
  'transactional-producer': { ...ofEveryClient, ...ofProducers },
  consumer: { ...ofEveryClient, ...ofConsumers },
};

// translate says what kafkajs is to be made with, and what it does otherwise. Settings of the other role mean nothing.
function translate({ role, settings, bare }) {
  const o = { client: {}, retry: {}, both: {}, producer: {}, send: {}, consumer: {}, subscribe: {}, run: {} };
  o.differences = [];
  if (!bare) {
    o.producer.createPartitioner = Partitioners.DefaultPartitioner;
    o.run.autoCommit = false;
    if (!settings['socket.connection.setup.timeout.ms']) {
      o.client.connectionTimeout = 10_000;
      o.differences.push(
        'connectionTimeout: it is 10000, since the second that kafkajs waits by default is short on a busy machine',
      );
    }
  }
  for (const key of Object.keys(settings).sort()) {
    const rule = rules[role][key];
    if (!rule && (ofProducers[key] || ofConsumers[key])) continue;
    const difference = applied(rule, key, o, settings);
    if (difference) o.differences.push(`${key}: ${difference}`);
  }
  o.differences.sort();
  secure(o);
  return o;
}

function applied(rule, key, o, settings) {
  if (!rule) throw unsupported(key, 'kafkajs has nothing like it');
  try {
    return rule(o, settings[key], settings);
  } catch (e) {
    if (typeof e === 'string') throw unsupported(key, e);
    throw new Refusal({ class: 'config', keys: [key], text: e.message });
  }
}

function secure(o) {
  const protocol = o.security ?? 'plaintext';
  if (protocol.endsWith('ssl')) o.client.ssl = o.tls ?? true;
  if (protocol.startsWith('sasl_')) o.client.sasl = { mechanism: 'plain', ...o.sasl };
}

// ---- Errors: what a program can do about them.

const classes = {
  INVALID_PRODUCER_EPOCH: 'fenced',
  INVALID_TXN_STATE: 'fatal',
  INVALID_PRODUCER_ID_MAPPING: 'fatal',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 'fatal',
  CLUSTER_AUTHORIZATION_FAILED: 'fatal',
  SASL_AUTHENTICATION_FAILED: 'fatal',
  UNSUPPORTED_VERSION: 'fatal',
};

// The codes with which a group refuses a member that is not in it any more.
const membership = new Set(['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'REBALANCE_IN_PROGRESS']);

// The codes after which what was asked for may have been done.
const unsure = new Set(['REQUEST_TIMED_OUT', 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'NETWORK_EXCEPTION', 'UNKNOWN']);

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

// errorOf is the protocol's error of what kafkajs threw in a call.
function errorOf(verb, e) {
  if (e instanceof Refusal) return e.members;
  const cause = causeOf(e);
  return { class: classOf(verb, e, cause), code: cause.type ?? e.name, text: e.message };
}

// causeOf is the first error: kafkajs wraps it when it retries no more.
const causeOf = (e) => (e.cause instanceof Error ? causeOf(e.cause) : e);

function classOf(verb, e, cause) {
  if (classes[cause.type]) return classes[cause.type];
  if (/error code 90$/.test(cause.message)) return 'fenced'; // PRODUCER_FENCED, which kafkajs has no name for
  const connection = /Connection|Timeout|BrokerNotFound|Coordinator|MetadataNotLoaded/.test(cause.name);
  switch (verb) {
    case 'produce':
      return classOfRecord(e, cause);
    case 'commit':
    case 'abort': // kafkajs has no way on from the end of a transaction that failed (transactionStateMachine.js)
      if (cause.message.startsWith('Cannot continue')) return 'application';
      return unsure.has(cause.type) || connection ? 'unknown-outcome' : 'fatal';
    case 'begin':
      return isOfTransaction(cause) ? 'fatal' : 'application';
    case 'send-offsets':
      return membership.has(cause.type) || cause.retriable || connection ? 'abortable' : 'application';
  }
  return membership.has(cause.type) || cause.retriable || connection ? 'retriable' : 'application';
}

// classOfRecord: of several attempts, an earlier one may have been written, and kafkajs rarely tells how many there were.
// It may give a record a new sequence number when it retries, so those that a broker refuses say nothing of an earlier one.
function classOfRecord(e, cause) {
  const unmade = cause.code === 'ERR_INVALID_ARG_TYPE' || cause.name === 'KafkaJSNonRetriableError'; // never sent
  if (refused.has(cause.type) || (unmade && !isOfTransaction(cause))) return 'application';
  if (cause.type === 'UNKNOWN_TOPIC_OR_PARTITION') return 'retriable'; // every attempt says so
  const once = cause.type && cause.retriable && e.retryCount === 0;
  return once && !unsure.has(cause.type) ? 'retriable' : 'unknown-outcome';
}

const isOfTransaction = (cause) => cause.message.startsWith('Transaction state exception');

// ---- Clients

// Sockets can end the connections of a client whose disconnect does not return, and lets it make no more.
class Sockets {
  #open = new Set();
  #closed = false;

  // make is kafkajs's own socket factory (network/socketFactory.js), which remembers what it made.
  make = ({ host, port, ssl, onConnect }) => {
    if (this.#closed) throw new Error('this client is closed');
    const servername = net.isIP(host) ? {} : { servername: host };
    const socket = ssl
      ? tls.connect({ host, port, ...servername, ...ssl }, onConnect)
      : net.connect({ host, port }, onConnect);
    socket.setKeepAlive(true, 60_000);
    this.#open.add(socket);
    return socket.once('close', () => this.#open.delete(socket));
  };

  destroy() {
    this.#closed = true;
    for (const socket of this.#open) socket.destroy();
  }
}

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

function kafkaOf(o, handle, sockets) {
  const logCreator =
    () =>
    ({ label, namespace, log }) =>
      say({ log: `${label} ${namespace}: ${log.message}${log.error ? `: ${log.error}` : ''}`, handle });
  return new Kafka({ ...o.client, retry: o.retry, logCreator, socketFactory: sockets.make });
}

const bytes = (base64) => (base64 == null ? null : Buffer.from(base64, 'base64'));
const text = (buffer) => (buffer == null ? null : buffer.toString('base64'));

// headersOf: kafkajs has an object with a list of values where a name comes twice.
function headersOf(pairs = []) {
  const headers = {};
  for (const [name, value] of pairs) (headers[name] ??= []).push(bytes(value));
  return headers;
}

class Producer {
  #o;
  #handle;
  #sockets = new Sockets();
  #producer;
  #connected;
  #prepared; // what init began, because kafkajs fetches the producer id in the first transaction() only
  #transaction;
  #next = 0; // the number of the next record
  #pending = 0;
  #reported = () => {}; // called when none is pending
  #closed = false;

  constructor(handle, o) {
    this.#handle = handle;
    this.#o = o;
    this.#producer = kafkaOf(o, handle, this.#sockets).producer({ ...o.both, ...o.producer });
    this.#connected = this.#producer.connect();
    this.#connected.catch(() => {}); // every send says so
  }

  produce({ record, topic, partition, key, value, headers }) {
    const message = { key: bytes(key), value: bytes(value), headers: headersOf(headers) };
    if (partition >= 0) message.partition = partition;
    this.#next = record + 1;
    this.#send({ record, count: 1, topic, partition, messages: [message] });
  }

  // #send reports records from `record` on, and returns whether they were acknowledged: where they are, if kafkajs tells.
  async #send({ record, count, topic, partition, messages }) {
    const report = { handle: this.#handle, record, ...(count > 1 && { count }) };
    this.#pending += count;
    try {
      const told = await this.#sent(topic, messages);
      Object.assign(report, { outcome: 'acked' });
      if (told.length === 1)
        Object.assign(report, { partition: told[0].partition, offset: Number(told[0].baseOffset) });
    } catch (e) {
      Object.assign(report, { outcome: 'failed', error: errorOf('produce', e) });
      if (partition >= 0) report.partition = partition;
    }
    if (!this.#closed) say(report);
    this.#pending -= count;
    if (this.#pending === 0) this.#reported();
    return report.outcome === 'acked';
  }

  async #sent(topic, messages) {
    try {
      await this.#connected;
    } catch (e) {
      throw new Refusal({ ...errorOf('connect', e), class: 'retriable' }); // nothing was ever sent
    }
    const sender = this.#o.producer.transactionalId ? this.#inTransaction() : this.#producer;
    return sender.send({ topic, messages, ...this.#o.send });
  }

  // #inTransaction: kafkajs itself refuses what comes after the end of a transaction.
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
    await this.#connected;
    this.#prepared = await this.#producer.transaction();
    return {};
  }

  async begin() {
    this.#transaction = this.#prepared ?? (await this.#producer.transaction());
    this.#prepared = undefined;
    return {};
  }

  async sendOffsets({ offsets, group }) {
    const topics = offsets.map(([topic, partition, offset]) => ({
      topic,
      partitions: [{ partition, offset: String(offset) }],
    }));
    await this.#inTransaction().sendOffsets({ consumerGroupId: group.group, topics });
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
  // may have requests in flight. Of records that kafkajs spreads over partitions it does not tell where each one is.
  async produceMany({ topic, partition, count, keys, value_bytes, rate = 0 }) {
    const pace = new Pace(rate, count);
    const first = this.#next;
    this.#next += count;
    const inFlight = new Set();
    for (let n = 0, size; n < count && !this.#closed; n += size) {
      size = Math.min(await pace.due(n), recordsASend, count - n);
      const messages = Array.from({ length: size }, (_, i) => numbered(n + i, keys, value_bytes, partition));
      const of = [n, size];
      const sending = this.#send({ record: first + n, count: size, topic, partition, messages }).then((acked) => {
        if (acked) pace.reported(...of);
        inFlight.delete(sending);
      });
      inFlight.add(sending);
      if (inFlight.size >= (this.#o.both.maxInFlightRequests ?? 5)) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
    return { elapsed_us: pace.elapsed(), latencies_us: pace.latencies() };
  }

  // close: kafkajs waits for answers when it disconnects, and retries behind it. So its connections end with it.
  async close({ plainly, timeout_ms }) {
    if (plainly) {
      await this.#producer.disconnect();
      return {};
    }
    this.#closed = true;
    await Promise.race([this.#producer.disconnect(), sleep(this.#pending > 0 ? 0 : timeout_ms / 2)]).catch(() => {});
    this.#sockets.destroy();
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

function numbered(n, keys, size, partition) {
  const message = { key: keys > 0 ? `key-${n % keys}` : null, value: String(n).padEnd(size, '.') };
  return partition >= 0 ? { ...message, partition } : message;
}

// A Consumer keeps the batch that kafkajs handed over until it was asked for. kafkajs goes on when the program asks again.
class Consumer {
  #o;
  #handle;
  #sockets = new Sockets();
  #kafka;
  #consumer; // undefined before subscribe and assign
  #from = new Map(); // where an assigned partition begins
  #held = []; // the partitions of the last assignment
  #positions = new Map();
  #offer; // { batch, messages, taken, dealtWith }
  #wake = () => {}; // ends the waiting of poll
  #failure;
  #closed = false;
  #returned = 0;
  #rebalances = [];
  #admin;

  constructor(handle, o) {
    this.#handle = handle;
    this.#o = o;
    this.#kafka = kafkaOf(o, handle, this.#sockets);
    this.#kafka.consumer({ groupId: 'kcompare', ...o.both, ...o.consumer }); // refuses what is wrong
  }

  async subscribe({ topics }) {
    if (!this.#o.consumer.groupId) {
      throw new Refusal({ class: 'application', code: 'NO_GROUP', text: 'expected a group.id in the settings' });
    }
    this.#start({}, { topics, ...this.#o.subscribe }, this.#o.run);
    return {};
  }

  // assign reads in a group of its own. Where a group has no offsets kafkajs begins a whole topic at one of its ends.
  async assign({ from }) {
    const topics = [...new Set(from.map(([topic]) => topic))];
    this.#from = new Map(from.filter(([, , offset]) => offset >= 0).map(([t, p, offset]) => [keyOf(t, p), offset]));
    const fromBeginning = !from.some(([, , offset]) => offset === -1);
    if (!fromBeginning && from.some(([, , offset]) => offset === -2)) {
      throw new Refusal({
        class: 'application',
        code: 'BOTH_ENDS',
        text: 'kafkajs begins all partitions at the same end',
      });
    }
    const group = { groupId: `${topics[0]}-${randomUUID()}`, partitionAssigners: [exactly(from)] };
    this.#start(group, { topics, fromBeginning }, { autoCommit: false });
    return {};
  }

  // #start lets the consumer join in the background; what goes wrong is an error of the next poll.
  #start(group, subscription, run) {
    const consumer = this.#kafka.consumer({ ...this.#o.both, ...this.#o.consumer, ...group });
    const { GROUP_JOIN, REBALANCING, CRASH } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => this.#joined(payload.memberAssignment));
    consumer.on(REBALANCING, () => this.#gone('revoked'));
    consumer.on(CRASH, ({ payload }) => payload.restart || this.#failed(payload.error));
    this.#consumer = consumer;
    const eachBatch = (payload) => this.#eachBatch(payload);
    consumer
      .connect()
      .then(() => consumer.subscribe(subscription))
      .then(() => consumer.run({ ...run, eachBatchAutoResolve: false, eachBatch }))
      .catch((e) => this.#failed(e));
  }

  // #joined: every assignment begins at the group's offsets again, those of assign where they were left.
  #joined(assignment) {
    this.#gone('lost');
    this.#held = Object.entries(assignment).flatMap(([topic, partitions]) => partitions.map((p) => [topic, p]));
    this.#tell('assigned');
    for (const [topic, partition] of this.#held) {
      const key = keyOf(topic, partition);
      const offset = this.#from.get(key);
      if (offset !== undefined) this.#consumer.seek({ topic, partition, offset: String(offset) });
    }
  }

  #gone(change) {
    if (this.#held.length > 0) this.#tell(change);
    this.#held = [];
    if (this.#from.size === 0) this.#positions.clear();
  }

  #tell(change) {
    this.#rebalances.push({ change, partitions: this.#held, after: this.#returned });
  }

  #told() {
    return this.#rebalances.length > 0 ? { rebalances: this.#rebalances.splice(0) } : {};
  }

  #failed(e) {
    this.#failure = e;
    this.#wake();
  }

  // #eachBatch sends a heartbeat when kafkajs would in eachMessage: between records, not while the program has them.
  async #eachBatch({ batch, resolveOffset, heartbeat, commitOffsetsIfNecessary, isRunning, isStale }) {
    for (let i = 0; i < batch.messages.length && isRunning() && !isStale(); i += recordsAPoll) {
      const messages = batch.messages.slice(i, i + recordsAPoll);
      const dealtWith = await this.#offered(batch, messages);
      if (!dealtWith) return;
      resolveOffset(messages.at(-1).offset);
      await heartbeat();
      await commitOffsetsIfNecessary();
    }
  }

  #offered(batch, messages) {
    return new Promise((dealtWith) => {
      this.#offer = { batch, messages, taken: false, dealtWith };
      this.#wake();
    });
  }

  // #release ends an offer: with true if the program is done with it, with false if it never gets it.
  #release(dealtWith) {
    this.#offer?.dealtWith(dealtWith);
    this.#offer = undefined;
  }

  // #take is what kafkajs hands over next: nothing when the time is up.
  async #take(ms) {
    if (this.#offer?.taken) this.#release(true);
    if (!this.#offer && !this.#failure && !this.#closed) {
      const time = new AbortController();
      await Promise.race([
        new Promise((resolve) => (this.#wake = resolve)),
        sleep(ms, undefined, time).catch(() => {}),
      ]);
      time.abort();
    }
    if (this.#failure) throw this.#failure;
    if (!this.#offer) return undefined;
    this.#offer.taken = true;
    const { batch, messages } = this.#offer;
    this.#returned += messages.length;
    this.#moved(batch.topic, batch.partition, Number(messages.at(-1).offset) + 1);
    return { topic: batch.topic, partition: batch.partition, messages };
  }

  #moved(topic, partition, offset) {
    this.#positions.set(keyOf(topic, partition), offset);
    if (this.#from.has(keyOf(topic, partition))) this.#from.set(keyOf(topic, partition), offset);
  }

  async poll({ timeout_ms }) {
    const taken = await this.#take(timeout_ms);
    const records = taken?.messages.map(({ offset, key, value, headers }) => ({
      topic: taken.topic,
      partition: taken.partition,
      offset: Number(offset),
      key: text(key),
      value: text(value),
      headers: pairsOf(headers),
    }));
    return { records: records ?? [], ...this.#told() };
  }

  async seek({ to: [topic, partition, offset] }) {
    this.#consumer.seek({ topic, partition, offset: String(offset) });
    this.#moved(topic, partition, offset);
    const { batch, taken } = this.#offer ?? {};
    if (batch?.topic === topic && batch.partition === partition && !taken) this.#release(false);
    return {};
  }

  async positions() {
    const positions = [...this.#positions].map(([key, offset]) => [...JSON.parse(key), offset]);
    return { positions: positions.sort(byPlace) };
  }

  async commitOffsets({ offsets }) {
    const list = offsets.map(([topic, partition, offset]) => ({ topic, partition, offset: String(offset) }));
    await this.#consumer.commitOffsets(list);
    return {};
  }

  async committed({ partitions }) {
    if (!this.#admin) {
      this.#admin = this.#kafka.admin();
      await this.#admin.connect();
    }
    const topics = [...new Set(partitions.map(([topic]) => topic))];
    const stored = await this.#admin.fetchOffsets({ groupId: this.#o.consumer.groupId, topics });
    const wanted = new Set(partitions.map(([topic, partition]) => keyOf(topic, partition)));
    const positions = stored
      .flatMap(({ topic, partitions }) => partitions.map((p) => [topic, p.partition, Number(p.offset)]))
      .filter(([topic, partition, offset]) => offset >= 0 && wanted.has(keyOf(topic, partition)));
    return { positions: positions.sort(byPlace) };
  }

  // groupMetadata: kafkajs asks for the group alone when it sends offsets, and keeps the generation to itself.
  async groupMetadata() {
    return { group: this.#o.consumer.groupId ?? '', generation: -1, member: '', instance: '', consumer: this.#handle };
  }

  async consumeMany({ count, timeout_ms }) {
    const end = performance.now() + timeout_ms;
    const open = new Map();
    const result = { count: 0, bytes: 0, elapsed_us: 0, runs: [] };
    let began;
    while (result.count < count && performance.now() < end) {
      const taken = await this.#take(end - performance.now());
      if (!taken) break;
      began ??= performance.now();
      result.count += taken.messages.length;
      for (const { offset, key, value } of taken.messages) {
        result.bytes += (key?.length ?? 0) + (value?.length ?? 0);
        addTo(open, result.runs, taken, Number(offset));
      }
      result.elapsed_us = Math.round((performance.now() - began) * 1000);
    }
    return result;
  }

  // close: disconnect leaves the group, if it returns.
  async close({ timeout_ms }) {
    this.#closed = true;
    const disconnected = Promise.all([this.#consumer?.disconnect(), this.#admin?.disconnect()]);
    this.#release(this.#offer?.taken);
    this.#wake();
    await Promise.race([disconnected, sleep(timeout_ms / 2)]).catch(() => {});
    this.#sockets.destroy();
    this.#gone('revoked');
    return this.#told();
  }
}

const recordsAPoll = 500;

const keyOf = (topic, partition) => JSON.stringify([topic, partition]);
const byPlace = (a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1);

const pairsOf = (headers) =>
  Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, text(one)]));

function addTo(open, runs, { topic, partition }, offset) {
  const key = keyOf(topic, partition);
  const run = open.get(key);
  if (run && run[2] + run[3] === offset) return void run[3]++;
  open.set(key, [topic, partition, offset, 1]);
  runs.push(open.get(key));
}

// exactly is an assigner that gives the only member of its group these partitions.
const exactly =
  (from) =>
  ({ cluster }) => {
    const roundRobin = PartitionAssigners.roundRobin({ cluster });
    const assignment = {};
    for (const [topic, partition] of from) (assignment[topic] ??= []).push(partition);
    const memberAssignment = AssignerProtocol.MemberAssignment.encode({ version: roundRobin.version, assignment });
    return {
      ...roundRobin,
      name: 'exactly',
      assign: async ({ members: [{ memberId }] }) => [{ memberId, memberAssignment }],
    };
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
  hello: () => ({ protocol: 1, language: `Node.js ${process.version}`, library: 'kafkajs', version, abilities }),
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
