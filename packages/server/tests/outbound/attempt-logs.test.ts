import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { DeliveryAttempt } from '@gatehouse/contract';
import { openChatService } from '../support/assistant/chat-service.ts';
import { ingest, makeEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { newSubscribingSpace } from '../support/events/subscribing.ts';
import { until } from '../support/until.ts';

const DAY = 86_400_000;

const service = await openChatService({ env: ALLOW_RECEIVERS });
after(() => service[Symbol.asyncDispose]());
const { client } = service;

async function newSpace() {
  service.skew = 0;
  const space = await newSubscribingSpace(client, service.session);
  const send = (...ids: string[]) => {
    const events = ids.map((id) => makeEvent({ id, subject: id }));
    return ingest(client, { as: space.key, body: { events } });
  };
  const delivered = (id: string) => space.deliveries(id, '&state=delivered');
  return { ...space, send, delivered };
}

test('lists successful deliveries, newest first, only with state=delivered', async () => {
  const { spaceId, key, receiver, send, subscribe, ask, deliveries, delivered } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(() => ({ status: 200, body: 'thanks' }));
  await send('a');
  await until('a is listed', async () => (await delivered(id)).length === 1);
  await send('b', 'c');
  await until('all are listed', async () => (await delivered(id)).length === 3);
  const all = await delivered(id);
  assert.equal(all.at(-1)?.eventId, 'a');
  assert.deepEqual(await deliveries(id), []);
  for (const one of all) {
    assert.deepEqual(
      [one.state, one.attempts, one.status, one.failure, one.nextAttemptAt],
      ['delivered', 1, 200, null, null],
    );
    assert.ok(one.deliveredAt !== null && one.deliveredAt >= one.receivedAt);
    const [attempt, ...others] = one.attemptLog;
    assert.ok(attempt !== undefined && attempt.durationMs < 10_000);
    assert.deepEqual(
      [attempt.status, attempt.failure, attempt.response, others],
      [200, null, 'thanks', []],
    );
    assert.equal(one.id, receiver.received.find(({ event }) => event['id'] === one.eventId)?.id);
  }

  const first = await ask('GET', `/${id}/deliveries?state=delivered&limit=2`);
  const { items, next } = first.json as { items: unknown[]; next: string };
  assert.deepEqual(items, all.slice(0, 2));
  const last = await ask('GET', `/${id}/deliveries?state=delivered&limit=2&after=${next}`);
  assert.deepEqual(last.json, { items: all.slice(2), next: null });
  for (const state of ['', '&state=waiting', '&state=parked']) {
    const other = await ask('GET', `/${id}/deliveries?after=${next}${state}`);
    assert.equal(other.status, 400);
    assert.match(String(other.json['message']), /belongs to a page with another `state`/);
  }

  const [newest] = all;
  const shown = await ask('GET', `/${id}/deliveries/${newest?.id}`);
  assert.equal(shown.status, 200);
  assert.equal((shown.json['event'] as { id: string }).id, newest?.eventId);
  assert.equal((await ask('DELETE', `/${id}/deliveries/${newest?.id}`)).status, 404);
  assert.equal((await ask('POST', `/${id}/deliveries/${newest?.id}/resend`)).status, 404);

  service.skew = 7 * DAY + 1000;
  const path = `/spaces/${spaceId}/subscriptions/${id}/deliveries`;
  assert.deepEqual((await client(`${path}?state=delivered`, { as: key })).json['items'], []);
  assert.equal((await client(`${path}/${newest?.id}`, { as: key })).status, 404);
});

test('logs all attempts of a delivery, before and after it has succeeded', async () => {
  const { receiver, send, subscribe, deliveries, delivered } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(() => ({ status: 500, body: `attempt ${receiver.received.length}` }));
  await send('a');
  const shown = (log: readonly DeliveryAttempt[] = []) =>
    log.map(({ status, failure, response }) => [status, failure, response]);
  const failed = [1, 2].map((number) => [500, 'the target answered 500', `attempt ${number}`]);
  for (const count of [1, 2]) {
    await until(`attempt ${count} is stored`, async () => {
      const [waiting] = await deliveries(id);
      return waiting?.attempts === count;
    });
    const [waiting] = await deliveries(id);
    assert.deepEqual(shown(waiting?.attemptLog), failed.slice(0, count));
    if (count === 2) receiver.behave(() => ({ status: 204 }));
    service.skew += 3_600_000;
  }
  await until('the delivery is listed', async () => (await delivered(id)).length === 1);
  const [one] = await delivered(id);
  assert.deepEqual([one?.attempts, one?.status], [3, 204]);
  assert.deepEqual(shown(one?.attemptLog), [...failed, [204, null, null]]);
  assert.ok(one !== undefined && one.waitingSince < (one.deliveredAt ?? ''));
});

test('shows responses only to editors, and stores neither clear text nor echoed secrets', async () => {
  const { key, receiver, send, spaceId, subscribe, delivered } = await newSpace();
  const { id, secret } = await subscribe({ url: receiver.url });
  receiver.behave(({ headers }) => ({
    status: 200,
    body: `${JSON.stringify({ secret, headers })} Authorization: Bearer abcdefghijk\n${'ü'.repeat(2000)}`,
  }));
  await send('a');
  await until('a is listed', async () => (await delivered(id)).length === 1);
  const [one] = await delivered(id);
  const response = one?.attemptLog[0]?.response ?? '';
  const bytes = Buffer.byteLength(response);
  assert.ok(bytes > 800 && bytes <= 1024, String(bytes));
  assert.ok(response.startsWith('{"secret":"[redacted]"') && response.includes('webhook-id'));
  const signature = String(receiver.received[0]?.headers['webhook-signature']);
  for (const hidden of [secret, secret.slice('whsec_'.length), signature, 'abcdefghijk'])
    assert.ok(!response.includes(hidden), hidden);

  const path = `/spaces/${spaceId}/subscriptions/${id}/deliveries`;
  for (const rest of ['?state=delivered', `/${one?.id}`]) {
    const { status, json, text } = await client(path + rest, { as: key });
    assert.equal(status, 200);
    assert.ok(!text.includes('webhook-id'));
    const item = ((json['items'] as unknown[] | undefined)?.[0] ?? json) as typeof one;
    const [attempt] = item?.attemptLog ?? [];
    assert.equal(attempt?.status, 200);
    assert.ok(attempt !== undefined && !('response' in attempt));
  }
});
