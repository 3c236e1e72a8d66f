import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestResult } from '@gatehouse/contract';
import { feedIds, idsOf, ingest, makeEvents } from '../support/events/events.ts';
import { clientOf } from '../support/http/client.ts';
import { beginBatch } from '../support/http/slow-request.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import type { ChildServer } from '../support/services/child-server.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { withoutWarnings } from '../support/storage/backend.ts';

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
let key = '';
/** IDs of events that must be stored, and of events whose request was incomplete. */
const sent: string[] = [];
const incomplete: string[] = [];

before(async () => {
  await using service = await startService(directory.path);
  const client = clientOf(service.url);
  const session = await signIn(client);
  key = await makeKey(client, session, (await makeSpace(client, session)).id);
});

/** Sends the signal and waits until the service no longer accepts connections. */
async function beginToStop(service: ChildServer, signal: NodeJS.Signals): Promise<void> {
  service.process.kill(signal);
  for (;;) {
    const socket = connect(service.port, '127.0.0.1');
    const isClosed = await once(socket, 'connect').then(
      () => false,
      () => true,
    );
    socket.destroy();
    if (isClosed) return;
    await sleep(5);
  }
}

async function openConnection(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

async function openIdle(port: number): Promise<Socket> {
  const socket = await openConnection(port, 'GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`after ${signal}, even sent twice, the service completes 20 requests in flight`, async () => {
    await using service = await startService(directory.path);
    const agent = new Agent({ keepAlive: true });
    const batches = Array.from({ length: 20 }, () => makeEvents(50, { data: 'x'.repeat(500) }));
    const requests = await Promise.all(
      batches.map((events) => beginBatch(service.port, key, events, agent)),
    );
    await beginToStop(service, signal);
    service.process.kill(signal);
    const answers = await Promise.all(requests.map((request) => request.finish()));
    for (const [index, { status, body }] of answers.entries()) {
      assert.equal(status, 200, body);
      assert.deepEqual((JSON.parse(body) as IngestResult).eventIds, idsOf(batches[index] ?? []));
    }
    assert.equal(await service.stop(), 0);
    agent.destroy();
    sent.push(...idsOf(batches.flat()));
  });

test('idle connections and incomplete requests do not prevent the service from stopping', async () => {
  await using service = await startService(directory.path);
  const unfinished = makeEvents(2);
  const sockets = [
    await openIdle(service.port),
    await openConnection(service.port, ''),
    await openConnection(service.port, 'POST /events HT'),
    await openConnection(service.port, 'POST /events HTTP/1.1\r\nHost: test\r\n'),
  ];
  const held = await beginBatch(service.port, key, unfinished);
  assert.equal(await service.stop(), 0);
  for (const socket of sockets) socket.destroy();
  held.abandon();
  incomplete.push(...idsOf(unfinished));
});

test('a client that disconnects while sending a request body causes no error in the log', async () => {
  await using service = await startService(directory.path, { capture: true });
  const client = clientOf(service.url);
  const events = makeEvents(2);
  const request = await beginBatch(service.port, key, events);
  request.abandon();
  await ingest(client, { as: key, body: { events: makeEvents(1) } });
  const kept = await feedIds(client, key);
  assert.ok(!idsOf(events).some((id) => kept.includes(id)));
  assert.equal(await service.stop(), 0);
  const lines = withoutWarnings(service.output().stdout).trim().split('\n');
  const levels = lines.map((line) => (JSON.parse(line) as { level: number }).level);
  assert.ok(Math.max(...levels) <= 30, service.output().stdout);
});

test('after restarts on the same data directory, the events of completed requests are stored, and those of incomplete requests are not', async (context) => {
  await using service = await startService(directory.path);
  context.diagnostic(`ready after ${Math.round(service.readyAfter)} ms`);
  const kept = await feedIds(clientOf(service.url), key);
  assert.ok(sent.length > 0 && incomplete.length > 0);
  assert.deepEqual(kept.filter((id) => sent.includes(id)).toSorted(), sent.toSorted());
  assert.ok(!incomplete.some((id) => kept.includes(id)));
});
