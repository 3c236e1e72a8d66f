import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { serviceOfThisFile } from '../support/file-service.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';

/*
 * V8's JSON.parse can be brought, by a body that anybody may send, to read the escaped names of later
 * bodies wrongly (docs/decisions/0012). The stranger below sends such bodies; nobody else may notice.
 */

const { client } = await serviceOfThisFile();
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const key = await makeKey(client, session, spaceId, ['events:write', 'read']);
const stranger = await makeKey(client, session, (await makeSpace(client, session)).id);

/** `object` is read as a body, and as the data of an event that is kept and read for the feed. */
async function strangerSends(object: string): Promise<void> {
  const event = `"id":"${randomUUID()}","source":"urn:shop","specversion":"1.0","type":"x"`;
  await client('/assistant-link', { as: stranger, body: object });
  const body = `{"events":[{${event},"data":${object}}]}`;
  const sent = await client('/events', { as: stranger, body });
  assert.equal(sent.json['processed'], 1, sent.text);
  await client('/events?type=x', { as: stranger });
}

test('a member whose name is escaped is known', async () => {
  await strangerSends('{"iss":"x","\\\\u0":0}');
  const body = `{"iss":"x","\\u0073ub":"user-1","ttlSeconds":60,"spaceId":"${spaceId}"}`;
  const made = await client('/assistant-link', { as: session, body });
  assert.equal(made.status, 200, made.text);
  const links = await client(`/assistant-link?spaceId=${spaceId}`, { as: session });
  assert.equal((links.json['items'] as { sub: string }[])[0]?.sub, 'user-1');
});

test('a permission filter whose operator is escaped is read', async () => {
  await strangerSends('{"like":"x","\\\\u":0}');
  const filter = '{"tag":{"like":"o%","\\u006ee":"one"}}';
  const body = `{"spaceId":"${spaceId}","ttlSeconds":60,"permissionFilter":${filter}}`;
  const made = await client('/assistant-link', { as: session, body });
  assert.equal(made.status, 200, made.text);
});

test('the exchange finds a claim whose name was sent escaped', async () => {
  await strangerSends('{"v":1,"iss":"x","\\\\u0066ea":0}');
  const features = '"\\u0066eatures":{"chatHistory":false}';
  const body = `{"iss":"x",${features},"spaceId":"${spaceId}","ttlSeconds":60}`;
  const made = await client('/assistant-link', { as: session, body });
  const exchange = { body: { linkToken: made.json['token'] } };
  const answer = await client('/assistant-link/exchange', exchange);
  assert.deepEqual(answer.json['features'], { chatHistory: false });
});

test('a credential whose name is escaped is used and not kept', async () => {
  await strangerSends('{"zone":"x","\\\\u00":0}');
  const rest = '"id":"1","source":"urn:shop","specversion":"1.0"';
  const event = `{"zone":"x","\\u0061uth":{"apiKey":"${key}"},${rest},"type":"order.paid"}`;
  const sent = await client('/events', { body: `{"events":[${event}]}` });
  assert.deepEqual(sent.json['eventIds'], ['1'], sent.text);
  const feed = await client('/events?type=order.paid', { as: key });
  assert.equal((feed.json['items'] as unknown[]).length, 1, feed.text);
  assert.doesNotMatch(feed.text, /uth|apiKey/);
});

test('the feed finds an event whose type was sent with an escaped name', async () => {
  await strangerSends('{"region":"x","\\\\u00":0}');
  const rest = '"id":"2","source":"urn:shop","specversion":"1.0"';
  const body = `{"events":[{"region":"x","\\u0074ype":"order.sent",${rest}}]}`;
  const sent = await client('/events', { as: key, body });
  assert.deepEqual(sent.json['eventIds'], ['2'], sent.text);
  const feed = await client('/events?type=order.sent', { as: key });
  assert.equal((feed.json['items'] as unknown[]).length, 1, feed.text);
});
