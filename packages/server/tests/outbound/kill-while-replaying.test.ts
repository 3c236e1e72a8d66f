/** Crash test of a replay: the process is killed with SIGKILL in the middle of a replay and restarted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ingest, makeEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const EVENTS = 1200;
const SUBJECTS = 8;
/** Events that a replay has in memory, and events that are delivered between two checkpoints. */
const REPEATED = 256 + 256;

test('continues a replay after a crash, in order and without starting again', async () => {
  using directory = temporaryDirectory();
  await using receiver = await startReceiver();
  const options = { env: ALLOW_RECEIVERS };
  let path = '';
  let id = '';
  let session = '';
  const numbers = () => receiver.received.map(({ event }) => Number(event['id']));
  {
    await using service = await startService(directory.path, options);
    const client = clientOf(service.url);
    session = await signIn(client);
    const space = await makeSpace(client, session);
    const key = await makeKey(client, session, space.id);
    path = space.id;
    const { subscribe, ask } = subscribingIn(client, session, space.id);
    id = (await subscribe({ url: receiver.url })).id;
    const events = Array.from({ length: EVENTS }, (_, at) =>
      makeEvent({ id: String(at), subject: `s${at % SUBJECTS}` }),
    );
    for (let at = 0; at < EVENTS; at += 100)
      await ingest(client, { as: key, body: { events: events.slice(at, at + 100) } });
    await until('all events have arrived', () => receiver.taken().length >= EVENTS);
    receiver.received.length = 0;
    receiver.behave(async () => {
      await sleep(2);
      return { status: 200 };
    });
    const started = await ask('POST', `/${id}/replay`, { from: '2020-01-01T00:00:00Z' });
    assert.equal(started.status, 202, started.text);
    await until('half of the events have arrived', () => receiver.taken().length >= EVENTS / 2);
    await service.stop('SIGKILL');
  }
  const before = receiver.received.length;
  assert.ok(before < EVENTS, 'the process was killed before the end of the replay');

  await using service = await startService(directory.path, options);
  const { show } = subscribingIn(clientOf(service.url), session, path);
  await until(
    'the replay has finished',
    async () => {
      return (await show(id)).replay?.state === 'finished';
    },
    60_000,
  );
  assert.equal(new Set(numbers()).size, EVENTS);
  assert.ok(numbers().length - before <= EVENTS - before + REPEATED);
  assert.ok(Math.min(...numbers().slice(before)) > 0, 'the replay did not start again');
  for (let subject = 0; subject < SUBJECTS; subject += 1) {
    const first = new Set(numbers().filter((number) => number % SUBJECTS === subject));
    assert.deepEqual(
      [...first],
      [...first].toSorted((one, other) => one - other),
    );
  }
  assert.equal(await service.stop(), 0);
});
