import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import type { Outcome } from '../event-sink.ts';
import { type Broker, createThreadedSink } from './threaded-sink.ts';

const MEGABYTE = Buffer.alloc(1024 * 1024, 'A');
const MAX_SENT_MEGABYTES = 1024;

const INFO =
  'INFO {"server_id":"a","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576}\r\n';
const nats = { user: null, password: null, token: null, credentials: null, subject: 'events' };
const kafka = { topic: 'events', key: 'subject', tls: false, sasl: null } as const;

/** Brokers, the first data of their servers, and the answers to what the servers receive. The last answer is endless. */
const BROKERS: readonly {
  readonly name: string;
  readonly broker: (port: number) => Broker;
  readonly greeting: string | null;
  readonly answers: readonly (string | Buffer)[];
}[] = [
  {
    name: 'a NATS server',
    broker: (port) => ({
      kind: 'nats',
      options: { ...nats, servers: [`nats://127.0.0.1:${port}`] },
    }),
    greeting: INFO,
    answers: ['PONG\r\n', 'MSG _INBOX.a 1 1073741824\r\n'],
  },
  {
    name: 'a Kafka broker',
    broker: (port) => ({ kind: 'kafka', options: { ...kafka, brokers: [`127.0.0.1:${port}`] } }),
    greeting: null,
    answers: [Buffer.from([0x7f, 0xff, 0xff, 0xff])],
  },
];

for (const { name, broker, greeting, answers } of BROKERS)
  test(`disconnects from ${name} that sends data without end, before the memory is full`, async () => {
    let sent = 0;
    const server = createServer((socket) => {
      const left = [...answers];
      const sendEndlessly = () => {
        while (sent < MAX_SENT_MEGABYTES && socket.write(MEGABYTE)) sent += 1;
      };
      socket.on('error', () => {});
      if (greeting !== null) socket.write(greeting);
      socket.on('data', () => {
        const answer = left.shift();
        if (answer === undefined) return;
        socket.write(answer);
        if (left.length > 0) return;
        socket.on('drain', sendEndlessly);
        sendEndlessly();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sink = createThreadedSink(broker((server.address() as AddressInfo).port));
    const event = { specversion: '1.0', id: '1', source: 'urn:test', type: 'test' };
    const [outcome] = await sink.publish('space', [JSON.stringify(event)]);
    await sink.close();
    server.close();
    assert.deepEqual(summaryOf(outcome), [
      'unreachable',
      `the ${broker(0).kind} client exceeded its memory limit`,
    ]);
    assert.ok(sent < MAX_SENT_MEGABYTES, `${sent} MiB were sent`);
  });

function summaryOf(outcome: Outcome | undefined): unknown {
  return outcome instanceof Error ? [outcome.reason, outcome.message] : outcome;
}
