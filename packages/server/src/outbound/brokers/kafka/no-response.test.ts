import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Outcome } from '../event-sink.ts';
import { createKafkaSink } from './index.ts';

const MAX_SECONDS = 30;
/** Turns of the event loop in which a connection to this machine is established. */
const TURNS_PER_SECOND = 100;

test('brokers that accept connections and do not respond are reported within 30 seconds', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).resume());
  }).listen(0, '127.0.0.1');
  context.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  const brokers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
  const sink = createKafkaSink({
    brokers,
    topic: 'events',
    key: 'subject',
    tls: false,
    sasl: null,
  });

  context.after(() => sink.close());

  let outcomes: readonly Outcome[] | null = null;
  const event = { specversion: '1.0', id: '1', source: 'urn:test', type: 'test' };
  void sink.publish('space', [JSON.stringify(event)]).then((settled) => {
    outcomes = settled;
  });
  for (let second = 0; second < MAX_SECONDS && outcomes === null; second += 1) {
    for (let turn = 0; turn < TURNS_PER_SECOND; turn += 1) await nextTurn();
    context.mock.timers.tick(1000);
  }
  for (let turn = 0; turn < TURNS_PER_SECOND; turn += 1) await nextTurn();
  assert.match(String(outcomes), /the Kafka brokers did not respond in time/);
  assert.ok(sockets.size > 1, 'the client did not try a second connection');
});
