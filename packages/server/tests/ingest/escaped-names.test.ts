import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

/*
 * A crafted body can make V8's JSON.parse misread escaped member names in later bodies (docs/decisions/0012). The
 * attacker in these tests sends such bodies. These bodies must not affect other clients.
 */

const { client } = await serviceOfThisFile();
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const key = await makeKey(client, session, spaceId, ['events:write', 'read']);
const attacker = await makeKey(client, session, (await makeSpace(client, session)).id);

/** Makes the service parse `object` as a request body, as the data of an event, and as part of the feed. */
async function attackWith(object: string): Promise<void> {
  const event = `"id":"${randomUUID()}","source":"urn:shop","specversion":"1.0","type":"x"`;
  await client('/assistant-link', { as: attacker, body: object });
  const body = `{"events":[{${event},"data":${object}}]}`;
  const sent = await client('/events', { as: attacker, body });
  assert.equal(sent.json['processed'], 1, sent.text);
  await client('/events?type=x', { as: attacker });
}

test('recognises a member whose name is escaped', async () => {
  await attackWith('{"iss":"x","\\\\u0":0}');
  const body = `{"iss":"x","\\u0073ub":"user-1","ttlSeconds":60,"spaceId":"${spaceId}"}`;
  const made = await client('/assistant-link', { as: session, body });
  assert.equal(made.status, 200, made.text);
  const links = await client(`/assistant-link?spaceId=${spaceId}`, { as: session });
  assert.equal((links.json['items'] as { sub: string }[])[0]?.sub, 'user-1');
});

test('recognises an escaped operator in a permission filter', async () => {
  await attackWith('{"like":"x","\\\\u":0}');
  const filter = '{"tag":{"like":"o%","\\u006ee":"one"}}';
  const body = `{"spaceId":"${spaceId}","ttlSeconds":60,"permissionFilter":${filter}}`;
  const made = await client('/assistant-link', { as: session, body });
  assert.equal(made.status, 200, made.text);
});

test('the exchange returns a claim whose name was escaped when the link was created', async () => {
  await attackWith('{"v":1,"iss":"x","\\\\u0066ea":0}');
  const features = '"\\u0066eatures":{"chatHistory":false}';
  const body = `{"iss":"x",${features},"spaceId":"${spaceId}","ttlSeconds":60}`;
  const made = await client('/assistant-link', { as: session, body });
  const exchange = { body: { linkToken: made.json['token'] } };
  const answer = await client('/assistant-link/exchange', exchange);
  assert.deepEqual(answer.json['features'], {
    chatHistory: false,
    attachments: true,
    handoff: false,
  });
});

test('accepts an `auth` member whose name is escaped and does not store the credential', async () => {
  await attackWith('{"zone":"x","\\\\u00":0}');
  const rest = '"id":"1","source":"urn:shop","specversion":"1.0"';
  const event = `{"zone":"x","\\u0061uth":{"apiKey":"${key}"},${rest},"type":"order.paid"}`;
  const sent = await client('/events', { body: `{"events":[${event}]}` });
  assert.deepEqual(sent.json['eventIds'], ['1'], sent.text);
  const feed = await client('/events?type=order.paid', { as: key });
  assert.equal((feed.json['items'] as unknown[]).length, 1, feed.text);
  assert.doesNotMatch(feed.text, /uth":|apiKey/);
});

test('a feed filtered by type contains an event whose `type` name was escaped', async () => {
  await attackWith('{"region":"x","\\\\u00":0}');
  const rest = '"id":"2","source":"urn:shop","specversion":"1.0"';
  const body = `{"events":[{"region":"x","\\u0074ype":"order.sent",${rest}}]}`;
  const sent = await client('/events', { as: key, body });
  assert.deepEqual(sent.json['eventIds'], ['2'], sent.text);
  const feed = await client('/events?type=order.sent', { as: key });
  assert.equal((feed.json['items'] as unknown[]).length, 1, feed.text);
});
