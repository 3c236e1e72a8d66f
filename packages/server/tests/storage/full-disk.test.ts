import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAnswerMatches } from '../support/answers.ts';
import { SQLITE_ALONE } from '../support/backend.ts';
import { type Answer, type Client, clientOf, type Send } from '../support/client.ts';
import { idsOf, makeEvents, readFeed, type SentEvent } from '../support/events.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService } from '../support/service.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const DISK_MEGABYTES = 48;
/** Writes that may still fit into room that the database has already. */
const MOST_THAT_FIT = 2000;

interface Refused {
  readonly sent: readonly SentEvent[];
  readonly taken: readonly SentEvent[];
}

async function ask(client: Client, path: string, send: Send): Promise<Answer> {
  const answer = await client(path, send);
  const method = send.method ?? (send.body === undefined ? 'GET' : 'POST');
  const { status, headers, text } = answer;
  assertAnswerMatches({ method, path, status, headers, body: text });
  return answer;
}

function assertUnavailable({ status, headers, text }: Answer): void {
  assert.equal(status, 503, text);
  assert.equal((JSON.parse(text) as { code: string }).code, 'http.storage-unavailable');
  assert.match(headers.get('retry-after') ?? '', /^\d+$/);
}

/** Sends batches of this size until one is refused; gives those that were taken and the refused one. */
async function sendUntilRefused(client: Client, key: string, bytes: number): Promise<Refused> {
  const taken: SentEvent[] = [];
  for (let turn = 0; turn < MOST_THAT_FIT; turn += 1) {
    const sent = makeEvents(10, { data: 'x'.repeat(bytes / 10) });
    const answer = await ask(client, '/events', { as: key, body: { events: sent } });
    if (answer.status !== 200) {
      assertUnavailable(answer);
      return { sent, taken };
    }
    taken.push(...sent);
  }
  throw new Error('the disk does not fill up');
}

async function makeLinksUntilRefused(client: Client, key: string): Promise<void> {
  for (let turn = 0; turn < MOST_THAT_FIT; turn += 1) {
    const answer = await ask(client, '/assistant-link', { as: key, body: { sub: 'full' } });
    if (answer.status !== 200) return assertUnavailable(answer);
  }
  throw new Error('the disk does not fill up');
}

test('a full disk refuses writes, lets reads go on, and is over when there is room', {
  skip: SQLITE_ALONE,
}, async (context) => {
  using disk = mountSmallDisk(DISK_MEGABYTES);
  if (disk === null) {
    context.skip('SKIPPED: a full disk cannot be made here; it needs root and mount');
    return;
  }
  await using service = await startService(disk.path);
  const client = clientOf(service.url);
  const session = await signIn(client);
  const space = await makeSpace(client, session);
  const key = await makeKey(client, session, space.id);
  const before = makeEvents(50);
  await ask(client, '/events', { as: key, body: { events: before } });
  const link = await ask(client, '/assistant-link', { as: key, body: { sub: 'before' } });
  assert.equal(link.status, 200, link.text);

  disk.fill();
  const large = await sendUntilRefused(client, key, 1_000_000);
  const small = await sendUntilRefused(client, key, 1000);
  await makeLinksUntilRefused(client, key);

  const exchange = { body: { linkToken: link.json['token'] } };
  assert.equal((await ask(client, '/assistant-link/exchange', exchange)).status, 200);
  const list = await ask(client, `/assistant-link?spaceId=${space.id}`, { as: key });
  assert.equal(list.status, 200, list.text);
  assert.equal((await ask(client, '/readyz', {})).status, 200);
  const signedIn = await client('/auth/sign-in/email', {
    body: { email: 'admin@example.com', password: 'administrator-1234' },
  });
  assert.ok([200, 503].includes(signedIn.status), signedIn.text);
  const kept = idsOf([...before, ...large.taken, ...small.taken]);
  const feedOf = async () => idsOf((await readFeed(client, key)).items.map((item) => item.event));
  assert.deepEqual(await feedOf(), kept, 'nothing of a refused request is kept');

  disk.makeRoom();
  for (const { sent } of [large, small]) {
    const again = await ask(client, '/events', { as: key, body: { events: sent } });
    assert.equal(again.json['processed'], sent.length, again.text);
  }
  const made = await ask(client, '/assistant-link', { as: key, body: { sub: 'after' } });
  assert.equal(made.status, 200, made.text);
  assert.deepEqual(await feedOf(), [...kept, ...idsOf([...large.sent, ...small.sent])]);
  assert.equal(await service.stop(), 0);
});

test('a service whose disk is full stops cleanly and keeps what it acknowledged', {
  skip: SQLITE_ALONE,
}, async (context) => {
  using disk = mountSmallDisk(DISK_MEGABYTES);
  if (disk === null) {
    context.skip('SKIPPED: a full disk cannot be made here; it needs root and mount');
    return;
  }
  await using service = await startService(disk.path);
  const client = clientOf(service.url);
  const session = await signIn(client);
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  disk.fill();
  const { taken } = await sendUntilRefused(client, key, 100_000);
  assert.equal(await service.stop(), 0);

  disk.makeRoom();
  await using later = await startService(disk.path);
  const { items } = await readFeed(clientOf(later.url), key);
  assert.deepEqual(idsOf(items.map((item) => item.event)), idsOf(taken));
});
