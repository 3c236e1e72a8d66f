import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Delivery, Gatehouse, type StreamedEvent, webhooks } from '@gatehouse/client';
import { Webhook } from 'standardwebhooks';
import { startReceiver } from '../../../server/tests/support/events/receiver.ts';
import { ADMIN, temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { until } from '../../../server/tests/support/until.ts';
import type { Outcome } from '../../src/listen/deliver.ts';
import { commandLine, parseAll } from '../command-line.ts';
import { token, url } from '../service.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());
const SOURCE = 'https://shop.example/orders';

/** Returns a new space and a command line that uses it. With a session, the configuration file contains the sign-in. */
async function newSpace(name: string) {
  const { id: spaceId } = await new Gatehouse({ url, token }).spaces.create({ name });
  const gatehouse = new Gatehouse({ url, token, spaceId });
  const { key } = await gatehouse.apiKeys.create({ name, scopes: ['read', 'events:write'] });
  const folder = join(home.path, name);
  const cli = commandLine({ GATEHOUSE_URL: url, GATEHOUSE_KEY: key, XDG_CONFIG_HOME: folder });
  const ids = async () => {
    const found: string[] = [];
    for await (const { event } of gatehouse.events.list({ limit: 200 })) found.push(event.id);
    return found;
  };
  return { cli, gatehouse, ids, spaceId, folder };
}

const event = (id: string) => ({ id, source: SOURCE, type: 'example.order.paid', data: { id } });
const jsonLines = (ids: readonly string[]) => ids.map((id) => JSON.stringify(event(id))).join('\n');

test('events are sent from options, a file, a JSON document and standard input', async () => {
  const { cli, ids, gatehouse } = await newSpace('send');
  const file = join(home.path, 'events.jsonl');
  const many = Array.from({ length: 250 }, (_, n) => `order-${n}`);
  writeFileSync(file, `${jsonLines(many)}\n`);
  const single = ['--type', 'example.note', '--source', SOURCE, '--id', 'one', '--data', '{"a":1}'];
  assert.equal((await cli.run(['events', 'send', ...single])).out, '1 event accepted.\n');
  assert.equal((await cli.run(['events', 'send', file])).out, '250 events accepted.\n');
  assert.equal((await cli.run(['events', 'send'], jsonLines(['piped']))).code, 0);
  const document = JSON.stringify([event('a'), event('b')], null, 2);
  const [sent] = await cli.json<{ eventIds: string[] }>(['events', 'send', '-'], document);
  assert.deepEqual(sent?.eventIds, ['a', 'b']);
  assert.deepEqual(await ids(), ['one', ...many, 'piped', 'a', 'b']);
  const { items } = await gatehouse.events.list({ type: 'example.note' });
  assert.partialDeepStrictEqual(items, [{ event: { source: SOURCE, data: { a: 1 } } }]);
});

test('rejected events are reported with their line, and the others are stored', async () => {
  const { cli, ids } = await newSpace('reject');
  const lines = `${jsonLines(['a'])}\n\n{"id":"bad","source":"${SOURCE}"}\n${jsonLines(['b'])}\n`;
  const { code, err, out } = await cli.run(['events', 'send'], lines);
  assert.equal(code, 1);
  assert.equal(out, '2 events accepted.\n');
  assert.match(err, /The service rejected 1 event\./);
  assert.match(err, /line 3: .*type/);
  assert.deepEqual(await ids(), ['a', 'b']);
  const broken = await cli.run(['events', 'send'], `${jsonLines(['c'])}\nnot JSON\n`);
  assert.equal(broken.code, 65);
  assert.match(broken.err, /Line 2 of the input is not a JSON object/);
  assert.equal((await cli.run(['events', 'send', join(home.path, 'missing.jsonl')])).code, 66);
});

test('tail prints events as they are accepted, and continues at the stored cursor', async () => {
  const { cli, gatehouse } = await newSpace('tail');
  const cursorFile = join(home.path, 'cursor');
  const args = ['events', 'tail', '--json', '--cursor-file', cursorFile, '--limit', '2'];
  const first = cli.start(args);
  await until('the stream is open', () => first.err().includes('Waiting for events'));
  await gatehouse.events.send([event('1'), event('2'), event('3')]);
  const idsOf = (out: string) => parseAll<StreamedEvent>(out).map((item) => item.event.id);
  assert.deepEqual(idsOf((await first.ended).out), ['1', '2']);
  await gatehouse.events.send([event('4')]);
  const second = await cli.start(args).ended;
  assert.deepEqual([second.code, idsOf(second.out)], [0, ['3', '4']]);
  const running = cli.start(['events', 'tail', '--type', 'example.none']);
  await until('the stream is open', () => running.err().includes('Waiting for events'));
  running.kill('SIGINT');
  assert.equal((await running.ended).code, 130);
});

test('tail with a new cursor file stores where it starts, and prints the events since then next time', async () => {
  const { cli, gatehouse } = await newSpace('tail-start');
  await gatehouse.events.send([event('before')]);
  const cursorFile = join(home.path, 'new-cursor');
  const args = ['events', 'tail', '--json', '--cursor-file', cursorFile];
  const first = cli.start(args);
  await until('the stream is open', () => first.err().includes('Waiting for events'));
  first.kill('SIGINT');
  assert.equal((await first.ended).out, '');
  await gatehouse.events.send([event('between')]);
  const second = await cli.start([...args, '--limit', '1']).ended;
  assert.deepEqual(
    parseAll<StreamedEvent>(second.out).map((item) => item.event.id),
    ['between'],
  );
});

test('tail names the option or the file with an invalid cursor', async () => {
  const { cli } = await newSpace('tail-cursor');
  for (const cursor of ['x', '']) {
    const { code, err } = await cli.run(['events', 'tail', '--after', cursor]);
    assert.deepEqual([code, err.includes('gatehouse: --after is not a cursor.')], [65, true], err);
  }
  const cursorFile = join(home.path, 'invalid-cursor');
  writeFileSync(cursorFile, 'x\n');
  const { err } = await cli.run(['events', 'tail', '--after', 'MQ', '--cursor-file', cursorFile]);
  assert.ok(err.includes(`gatehouse: ${cursorFile} does not contain a cursor.`), err);
});

test('tail prints numbers with all digits, and each event on one line', async () => {
  const { cli, gatehouse } = await newSpace('tail-exact');
  const { key } = await gatehouse.apiKeys.create({ name: 'sender', scopes: ['events:write'] });
  const text = `{ "specversion": "1.0", "id": "1", "source": "${SOURCE}", "type": "example.order.paid",
    "data": { "order": 12345678901234567890, "2": 1.0, "1": 1e400, "note": "a\u009bb" } }`;
  const lines = [];
  for (const format of [['--json'], []]) {
    const tail = cli.start(['events', 'tail', '--limit', '1', ...format]);
    await until('the stream is open', () => tail.err().includes('Waiting for events'));
    const response = await fetch(`${url}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/cloudevents+json', authorization: `Bearer ${key}` },
      body: text.replace('"id": "1"', `"id": "${format.length}"`),
    });
    assert.equal(response.status, 200, await response.text());
    lines.push((await tail.ended).out);
  }
  const [json = '', line = ''] = lines;
  assert.match(
    json,
    /^\{"event":\{.*"order": 12345678901234567890, "2": 1\.0, "1": 1e400, .*\}\n$/,
  );
  assert.match(json, /"note": "a\\u009bb"/);
  assert.deepEqual(Object.keys(JSON.parse(json)), ['event', 'receivedAt', 'cursor']);
  assert.match(line, /^[^\n]*"order":12345678901234567890[^\n]*\n$/);
});

test('listen forwards events, signed, and retries failures', async () => {
  const { cli, gatehouse } = await newSpace('listen');
  await using receiver = await startReceiver();
  let failures = 1;
  receiver.behave(() => ({ status: failures-- > 0 ? 500 : 204 }));
  const target = receiver.url;
  const running = cli.start(['listen', '--forward', target, '--type', 'example.*', '--json']);
  await until('the stream is open', () => running.err().includes('Waiting for events'));
  const other = { source: SOURCE, type: 'other', id: 'other' };
  await gatehouse.events.send([event('1'), other, event('2')]);
  await until('both events are delivered', () => running.out().split('\n').length > 3);
  running.kill('SIGTERM');
  const { out, err } = await running.ended;
  const [start, ...outcomes] = parseAll<Outcome & { secret: string; eventId: string }>(out);
  const secret = start?.secret ?? '';
  assert.deepEqual(
    receiver.received.map(({ path, event: { id } }) => [path, id]),
    [
      ['/hook', '1'],
      ['/hook', '1'],
      ['/hook', '2'],
    ],
  );
  for (const { text, headers } of receiver.received) {
    const signed = headers as Record<string, string>;
    assert.partialDeepStrictEqual(new Webhook(secret).verify(text, signed), { source: SOURCE });
    assert.equal((await webhooks.unwrap(text, headers, secret)).source, SOURCE);
  }
  const [first, again, second] = receiver.received.map(({ id }) => id);
  assert.ok(first === again && first !== second);
  assert.partialDeepStrictEqual(outcomes, [
    { eventId: '1', delivered: true, attempts: 2, status: 204, webhookId: first },
    { eventId: '2', delivered: true, attempts: 1, status: 204 },
  ]);
  assert.match(err, /^1: the receiver answered 500; retrying in 1 s$/m);
});

test('listen forwards the same body as a subscription', async (t) => {
  const { cli, gatehouse, spaceId } = await newSpace('listen-body');
  await using local = await startReceiver();
  await using subscribed = await startReceiver();
  const owner = new Gatehouse({ url, token, spaceId });
  await owner.subscriptions.create({ url: subscribed.url });
  const running = cli.start(['listen', '--forward', local.url]);
  t.after(() => running.kill('SIGINT'));
  await until('the stream is open', () => running.err().includes('Waiting for events'));
  const text = `{ "specversion": "1.0", "id": "1", "source": "${SOURCE}", "type": "example.order.paid",
    "data": { "order": 12345678901234567890, "total": 40.00, "note": "\\u00fc\\/, \\"receivedAt\\":\\"1\\"}" } }`;
  const { key } = await gatehouse.apiKeys.create({ name: 'sender', scopes: ['events:write'] });
  const response = await fetch(`${url}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents+json', authorization: `Bearer ${key}` },
    body: text,
  });
  assert.equal(response.status, 200, await response.text());
  for (const { received } of [local, subscribed])
    await until('the event is delivered', () => received.length === 1);
  assert.equal(local.received[0]?.text, subscribed.received[0]?.text);
  assert.match(local.received[0]?.text ?? '', /12345678901234567890, "total": 40\.00/);
});

test('listen uses a given secret without printing it, and reports an event that cannot be delivered', async () => {
  const { cli, gatehouse } = await newSpace('listen-failing');
  const secret = `whsec_${createHmac('sha256', 'x').digest('base64')}`;
  await using receiver = await startReceiver();
  receiver.behave(({ event: { id } }) => ({
    status: id === 'bad' ? 302 : 200,
    headers: { location: '/' },
  }));
  const own = cli.with({ GATEHOUSE_LISTEN_SECRET: secret });
  const running = own.start(['listen', '--forward', receiver.url, '--attempts', '1']);
  await until('the stream is open', () => running.err().includes('Waiting for events'));
  await gatehouse.events.send([event('bad'), event('good')]);
  await until('both outcomes are printed', () => running.out().includes('good'));
  running.kill('SIGINT');
  const { out, err } = await running.ended;
  assert.match(out, /^FAILED example\.order\.paid {2}bad .*: the receiver answered 302$/m);
  assert.match(out, /^200 {4}example\.order\.paid {2}good/m);
  assert.ok(!`${out}${err}`.includes(secret));
  await webhooks.unwrap(
    receiver.received[1]?.text ?? '',
    receiver.received[1]?.headers ?? {},
    secret,
  );
  const short = await cli
    .with({ GATEHOUSE_LISTEN_SECRET: 'whsec_c2hvcnQ=' })
    .run(['listen', '--forward', receiver.url]);
  assert.equal(short.code, 64);
  assert.ok(!short.err.includes('c2hvcnQ'));
});

test('deliveries are listed, retried and replayed', async () => {
  const { cli, gatehouse, spaceId } = await newSpace('deliveries');
  const session = cli.with({ GATEHOUSE_KEY: '', GATEHOUSE_SPACE: spaceId });
  await session.run(['login', '--email', ADMIN.email], ADMIN.password);
  assert.match((await session.run(['deliveries', 'list'])).err, /The space has no subscription/);
  await using receiver = await startReceiver();
  receiver.behave(() => ({ status: 500 }));
  const { id } = await gatehouse.subscriptions.create({ url: receiver.url });
  await gatehouse.events.send([event('1')]);
  await until(
    'the delivery waits',
    async () => (await gatehouse.subscriptions.get(id)).waiting === 1,
  );
  assert.match((await cli.run(['subscriptions', 'list'])).out, new RegExp(`^${id} +active`, 'm'));
  const [waiting] = await cli.json<Delivery>(['deliveries', 'list']);
  assert.partialDeepStrictEqual(waiting, { state: 'waiting', eventId: '1' });
  receiver.behave(() => ({ status: 204 }));
  assert.equal((await session.run(['deliveries', 'retry', waiting?.id ?? ''])).code, 0);
  await until('the event is delivered', () => receiver.taken().length === 1);
  const parked = await session.run(['deliveries', 'retry', '--parked']);
  assert.equal(parked.out, 'The service will resend 0 deliveries.\n');
  const replay = await session.run(['deliveries', 'replay', '--from', '1h', '--subscription', id]);
  assert.match(replay.out, /^The replay from .* is (running|finished)/);
  await until('the event is replayed', () => receiver.taken().length === 2);
  const [delivered] = await cli.json<Delivery>(['deliveries', 'list', '--state', 'delivered']);
  assert.equal(delivered?.eventId, '1');
});
