import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedIds, idsOf, ingest, makeEvent, makeEvents } from '../support/events/events.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, session, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

async function emptySpace(): Promise<string> {
  return makeKey(client, session, (await makeSpace(client, session)).id);
}

/** Sends the texts as one batch and returns the text of each event in the feed. */
async function throughTheFeed(texts: readonly string[]): Promise<string[]> {
  const key = await emptySpace();
  const result = await ingest(client, { as: key, body: `{"events":[${texts.join(',')}]}` });
  assert.equal(result.success, true, JSON.stringify(result));
  const { text } = await client('/events?limit=200', { as: key });
  const found = text.split(/\{"items":\[\{"event":|,"receivedAt":"[-:.TZ0-9]+"\}(?:,\{"event":)?/);
  return found.slice(1, -1);
}

function eventText(id: string, members: string): string {
  return `{"specversion":"1.0","id":"${id}","source":"urn:a","type":"t"${members}}`;
}

test('returns the exact text of events that `JSON.parse` would change', async () => {
  const datas = [
    '12345678901234567890',
    '-0',
    '1e400',
    '1E+2',
    '0.10',
    '1.0000000000000000000000000001',
    '{"a":1,"a":2,"\\u0061":3}',
    '{"b":1,"a":2,"10":3,"2":4}',
    '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}',
    '[{"__proto__":null},{"__proto__":[{"__proto__":1}]}]',
    '"\\u00e9\\/\\ud83d\\ude00\\u0000\\ud800"',
    '"é😀\u2028\u2029\ufeff"',
    '"</script><!--"',
    ' { "a" :\t[ 1 ,\r\n 2 ] } ',
    'null',
    '""',
  ];
  const texts = datas.map((data, index) => eventText(String(index), `,"data":${data}`));
  assert.deepEqual(await throughTheFeed(texts), texts);
});

test('returns a `__proto__` member unchanged at every level of an event', async () => {
  const payload = '{"polluted":true,"auth":{"apiKey":"x"},"toString":1}';
  const texts = [
    eventText('1', `,"__proto__":${payload}`),
    eventText('2', `,"metadata":{"__proto__":${payload}}`),
    eventText('3', `,"data":{"__proto__":${payload}},"ext":{"__proto__":${payload}}`),
    eventText('4', `,"\\u005f_proto__":${payload},"constructor":${payload},"hasOwnProperty":1`),
  ];
  assert.deepEqual(await throughTheFeed(texts), texts);
  const key = await emptySpace();
  const result = await ingest(client, { as: key, body: { events: [{}] } });
  assert.match(result.errors?.[0]?.error ?? '', /^id: is required/);
});

test('preserves the order, whitespace and escape sequences of event members', async () => {
  const texts = [
    '{ "type" : "t" ,\n\t"x":1, "id":"1","\\u0073ource":"urn:a","specversion":"1.0" }',
    '{"id":"2","source":"urn:a","type":"\\u00fc","specversion":"1.0","subject":"日本","ünï":"ö"}',
  ];
  assert.deepEqual(await throughTheFeed(texts), texts);
});

test('removes only the top-level `auth` member of an event, at any position', async () => {
  const rest = '"id":"ID","source":"urn:a","type":"t","specversion":"1.0"';
  const auth = '"auth" : {"apiKey":"gh_secret","timestamp":"1"}';
  const cases = [
    [`{${auth},${rest}}`, `{${rest}}`],
    [`{${rest},${auth}}`, `{${rest}}`],
    [`{ ${auth} , ${rest} }`, `{  ${rest} }`],
    [`{"a":1,${auth},${rest}}`, `{"a":1,${rest}}`],
    [`{${rest} , "\\u0061uth":{} }`, `{${rest}  }`],
    [
      `{${rest},"data":{${auth},"text":"\\"auth\\":{}"},${auth}}`,
      `{${rest},"data":{${auth},"text":"\\"auth\\":{}"}}`,
    ],
  ].map((pair, index) => pair.map((text) => text.replace('ID', String(index))));
  const sent = cases.map(([text]) => text ?? '');
  assert.deepEqual(
    await throughTheFeed(sent),
    cases.map(([, kept]) => kept),
  );
});

test('sessions and keys read only the feed of their space', async () => {
  const [one, two] = [await makeSpace(client, session), await makeSpace(client, session)];
  const [mine, theirs] = [
    await makeKey(client, session, one.id),
    await makeKey(client, session, two.id),
  ];
  const [ours, others] = [makeEvents(3), makeEvents(3)];
  await ingest(client, { as: mine, body: { events: ours } });
  await ingest(client, { as: session, body: { events: others } }, `?spaceId=${two.id}`);
  assert.deepEqual(await feedIds(client, mine), idsOf(ours));
  assert.deepEqual(await feedIds(client, theirs), idsOf(others));
  const bySession = await client(`/events?spaceId=${one.id}`, { as: session });
  const byKey = await client(`/events?spaceId=${one.id}`, { as: mine });
  assert.equal(bySession.text, byKey.text);
  assert.equal((await client(`/events?spaceId=${two.id}`, { as: mine })).status, 403);
  assert.equal((await client('/events', { as: session })).status, 400);
  assert.equal((await client('/events')).status, 401);
  const writeOnly = await makeKey(client, session, one.id, ['events:write']);
  assert.equal((await client('/events', { as: writeOnly })).status, 403);
});

test('the feed of a deleted space is not accessible', async () => {
  const space = await makeSpace(client, session);
  const key = await makeKey(client, session, space.id);
  await ingest(client, { as: key, body: { events: [makeEvent()] } });
  const gone = await client(`/spaces/${space.id}`, { method: 'DELETE', as: session });
  assert.equal(gone.status, 204, gone.text);
  assert.equal((await client('/events', { as: key })).status, 401);
  const asked = await client(`/events?spaceId=${space.id}`, { as: session });
  assert.equal(asked.status, 403);
});
