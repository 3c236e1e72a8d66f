import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idsOf, makeEvents, readFeed, type SentEvent } from '../support/events/events.ts';
import { type Client, type ClientResponse, clientOf, type Send } from '../support/http/client.ts';
import { assertResponseMatches } from '../support/http/responses.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService } from '../support/services/service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';
import { mountSmallDisk } from '../support/storage/small-disk.ts';

const DISK_MEGABYTES = 48;
/** Maximum number of writes that can still succeed on a full disk, because the database file has free pages. */
const MAX_FITTING_WRITES = 2000;

interface Rejection {
  /** Events of the rejected request. */
  readonly sent: readonly SentEvent[];
  /** Events of all earlier requests. */
  readonly accepted: readonly SentEvent[];
}

async function ask(client: Client, path: string, send: Send): Promise<ClientResponse> {
  const answer = await client(path, send);
  const method = send.method ?? (send.body === undefined ? 'GET' : 'POST');
  const { status, headers, text } = answer;
  assertResponseMatches({ method, path, status, headers, body: text });
  return answer;
}

function assertUnavailable({ status, headers, text }: ClientResponse): void {
  assert.equal(status, 503, text);
  assert.equal((JSON.parse(text) as { code: string }).code, 'http.storage-unavailable');
  assert.match(headers.get('retry-after') ?? '', /^\d+$/);
}

async function sendUntilRejected(client: Client, key: string, bytes: number): Promise<Rejection> {
  const accepted: SentEvent[] = [];
  for (let count = 0; count < MAX_FITTING_WRITES; count += 1) {
    const sent = makeEvents(10, { data: 'x'.repeat(bytes / 10) });
    const answer = await ask(client, '/events', { as: key, body: { events: sent } });
    if (answer.status !== 200) {
      assertUnavailable(answer);
      return { sent, accepted };
    }
    accepted.push(...sent);
  }
  throw new Error('the disk did not become full');
}

async function makeLinksUntilRejected(client: Client, key: string): Promise<void> {
  for (let count = 0; count < MAX_FITTING_WRITES; count += 1) {
    const answer = await ask(client, '/assistant-link', { as: key, body: { sub: 'full' } });
    if (answer.status !== 200) return assertUnavailable(answer);
  }
  throw new Error('the disk did not become full');
}

test('a service on a full disk rejects writes, serves reads, and accepts writes again when there is space', {
  skip: SQLITE_ONLY,
}, async (context) => {
  using disk = mountSmallDisk(DISK_MEGABYTES);
  if (disk === null) {
    context.skip('SKIPPED: mounting a file system requires root');
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
  const large = await sendUntilRejected(client, key, 1_000_000);
  const small = await sendUntilRejected(client, key, 1000);
  await makeLinksUntilRejected(client, key);

  const exchange = { body: { linkToken: link.json['token'] } };
  assert.equal((await ask(client, '/assistant-link/exchange', exchange)).status, 200);
  const list = await ask(client, `/assistant-link?spaceId=${space.id}`, { as: key });
  assert.equal(list.status, 200, list.text);
  assert.equal((await ask(client, '/readyz', {})).status, 200);
  const signedIn = await client('/auth/sign-in/email', {
    body: { email: 'admin@example.com', password: 'administrator-1234' },
  });
  assert.ok([200, 503].includes(signedIn.status), signedIn.text);
  const kept = idsOf([...before, ...large.accepted, ...small.accepted]);
  const feedOf = async () => idsOf((await readFeed(client, key)).items.map((item) => item.event));
  assert.deepEqual(await feedOf(), kept, 'events of a rejected request were stored');

  disk.makeRoom();
  for (const { sent } of [large, small]) {
    const resent = await ask(client, '/events', { as: key, body: { events: sent } });
    assert.equal(resent.json['processed'], sent.length, resent.text);
  }
  const made = await ask(client, '/assistant-link', { as: key, body: { sub: 'after' } });
  assert.equal(made.status, 200, made.text);
  assert.deepEqual(await feedOf(), [...kept, ...idsOf([...large.sent, ...small.sent])]);
  assert.equal(await service.stop(), 0);
});

test('a service on a full disk stops cleanly and loses no acknowledged events', {
  skip: SQLITE_ONLY,
}, async (context) => {
  using disk = mountSmallDisk(DISK_MEGABYTES);
  if (disk === null) {
    context.skip('SKIPPED: mounting a file system requires root');
    return;
  }
  await using service = await startService(disk.path);
  const client = clientOf(service.url);
  const session = await signIn(client);
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  disk.fill();
  const { accepted } = await sendUntilRejected(client, key, 100_000);
  assert.equal(await service.stop(), 0);

  disk.makeRoom();
  await using later = await startService(disk.path);
  const { items } = await readFeed(clientOf(later.url), key);
  assert.deepEqual(idsOf(items.map((item) => item.event)), idsOf(accepted));
});
