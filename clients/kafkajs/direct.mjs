// The loop of produce-many, written on kafkajs alone: what client.mjs is measured against. Each line of stdin is a number
// of records; it is answered by a line with the number of those that failed, when all are reported.

import { createInterface } from 'node:readline';
import kafkajs from 'kafkajs';

const topic = 'kcompare-overhead';
const valueBytes = 100;
const recordsASend = 1000;
const inFlightMost = 5;

const kafka = new kafkajs.Kafka({ brokers: [process.argv[2]], logLevel: kafkajs.logLevel.NOTHING });
const producer = kafka.producer({
  createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
  idempotent: true,
  maxInFlightRequests: inFlightMost,
});
await producer.connect();

async function play(count) {
  let failed = 0;
  const inFlight = new Set();
  for (let n = 0; n < count; n += recordsASend) {
    const size = Math.min(recordsASend, count - n);
    const messages = Array.from({ length: size }, (_, i) => ({
      key: null,
      value: String(n + i).padEnd(valueBytes, '.'),
    }));
    const sending = producer
      .send({ topic, messages, acks: -1, compression: kafkajs.CompressionTypes.None })
      .catch(() => (failed += size))
      .then(() => inFlight.delete(sending));
    inFlight.add(sending);
    if (inFlight.size >= inFlightMost) await Promise.race(inFlight);
  }
  await Promise.all(inFlight);
  return failed;
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${await play(Number(line))}\n`);
}
process.exit(0);
