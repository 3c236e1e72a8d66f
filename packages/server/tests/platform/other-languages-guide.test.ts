/**
 * Runs the programs in `examples/` for other languages against a service. Tools that are not installed skip their
 * language. The first response of each request is lost, so every program must retry.
 */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { SubscriptionWithSecret } from '@gatehouse/contract';
import { ingest, makeEvent, readFeed, type SentEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { nowInSeconds, registerSource, webhookHeaders } from '../support/events/signing.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import {
  build,
  EXAMPLE_PROGRAMS,
  type ExampleProgram,
  runProgram,
  startProgram,
} from '../support/example-programs.ts';
import { openGuide, ROOT } from '../support/guides/guide.ts';
import { startLossyProxy } from '../support/http/lossy-proxy.ts';
import { exchangeLink } from '../support/provision.ts';
import { freePort } from '../support/services/free-port.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';
import { until } from '../support/until.ts';

const SOURCE = 'https://shop.example/orders';

const { client, session, space, key, service, ...shop } = await startChildWithSpace({
  env: ALLOW_RECEIVERS,
});
const directory = temporaryDirectory();
after(async () => {
  await shop[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});
const { secret: sourceSecret } = await registerSource(client, session, space.id, {
  source: SOURCE,
  match: 'prefix',
  signatureRequired: true,
});
const subscribing = subscribingIn(client, session, space.id);

const guide = openGuide('other-languages');

test('the guide shows the programs that this file runs', () => {
  for (const [language, path] of [
    ['python', 'python/gatehouse.py'],
    ['go', 'go/gatehouse.go'],
    ['java', 'java/Gatehouse.java'],
    ['php', 'php/gatehouse.php'],
    ['php', 'php/webhook.php'],
    ['ruby', 'ruby/gatehouse.rb'],
  ] as const)
    assert.equal(guide.next(language), readFileSync(join(ROOT, 'examples', path), 'utf8'));
});

describe('the example program', { concurrency: true }, () => {
  for (const program of EXAMPLE_PROGRAMS) {
    const missing = program.missing();
    if (missing !== undefined)
      console.log(`SKIPPED: the example in ${program.language}: ${missing} is not installed.`);
    describe(`in ${program.language}`, { skip: missing !== undefined, concurrency: false }, () =>
      testProgram(program),
    );
  }
});

function testProgram(program: ExampleProgram): void {
  const { language } = program;
  const folder = join(directory.path, language);
  mkdirSync(folder);
  before(() => build(program, folder));

  test('creates one link, although the first response is lost', async () => {
    await using proxy = await startLossyProxy(service.url);
    const env = { GATEHOUSE_URL: proxy.url, GATEHOUSE_KEY: key };
    const { status, output } = await runProgram([...program.command(folder), 'link'], env);
    assert.equal(status, 0, output);
    const [url = ''] = /^http\S+$/m.exec(output) ?? [];
    await exchangeLink(client, url.split('/').at(-1) ?? '');
    const [first, , last] = proxy.attempts;
    assert.equal(proxy.attempts.length, 3);
    assert.equal(last?.response?.headers.get('idempotent-replayed'), 'true');
    assert.equal(last?.headers['idempotency-key'], first?.headers['idempotency-key']);
  });

  test('sends signed events, and reports the outcome of each event', async () => {
    const events = [1, 2, 3].map((number) => orderEvent(language, number));
    const sent = [...events.slice(0, 2), { ...events[2], time: '2026-11-22T09:30:00+02:00' }];
    await using proxy = await startLossyProxy(service.url);
    const { status, output } = await send(sent, { GATEHOUSE_URL: proxy.url });
    assert.equal(status, 1, output);
    assert.match(output, /^accepted 2$/m);
    assert.match(output, new RegExp(`^rejected order-3-${language} time: must be in UTC`, 'm'));
    assert.deepEqual(await storedEvents(language), events.slice(0, 2));
    assert.equal(proxy.attempts.length, 3);
    const headers = proxy.attempts.map((attempt) => attempt.headers);
    assert.equal(new Set(headers.map((one) => one['webhook-id'])).size, 1);
    assert.ok(headers.every(({ authorization }) => authorization === undefined));
    assert.ok(
      Number(headers[2]?.['webhook-timestamp']) > Number(headers[0]?.['webhook-timestamp']),
    );
  });

  test('succeeds if all events are accepted, and fails without a retry if the signature is wrong', async () => {
    const events = [orderEvent(language, 4)];
    const accepted = await send(events, {});
    assert.equal(accepted.status, 0, accepted.output);
    assert.match(accepted.output, /^accepted 1$/m);
    const wrong = { EVENT_SOURCE_SECRET: randomSecret() };
    const refused = await send([orderEvent(language, 5)], wrong);
    assert.notEqual(refused.status, 0);
    assert.match(refused.output, /401 .*events\.signature-refused/);
    assert.ok((await storedEvents(language)).every(({ id }) => id !== `order-5-${language}`));
  });

  test('accepts genuine deliveries once, and rejects forged ones', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hooks`;
    const type = `example.${language}`;
    const subscription = await subscribing.subscribe({ url, types: [type] });
    const { secret } = subscription;
    const command = program.receiver?.(port) ?? [...program.command(folder), 'listen'];
    const env = { PORT: String(port), SUBSCRIPTION_SECRET: secret, SEEN_DIRECTORY: folder };
    await using target = startProgram(command as [string, ...string[]], env);
    await until(`the program in ${language} listens`, () => statusOf(url, '', {}).then(isAnswer));

    const event = makeEvent({ type, data: 'Grüße – 灯' });
    await ingest(client, { as: key, body: { events: [event] } });
    const line = `received ${type} ${event['id']}`;
    await until('the event has arrived', () => target.output().includes(line));
    assert.equal(await statusOfTest(subscription), 204);

    const body = JSON.stringify(makeEvent({ type, id: 'forged', data: 'é' }));
    const now = nowInSeconds();
    const genuine = webhookHeaders(body, secret);
    const signature = genuine['webhook-signature'] ?? '';
    const forged: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
      ['an altered body', body.replace('é', 'e'), genuine],
      ['an old timestamp', body, webhookHeaders(body, secret, { timestamp: now - 310 })],
      ['a future timestamp', body, webhookHeaders(body, secret, { timestamp: now + 310 })],
      ['an altered timestamp', body, { ...genuine, 'webhook-timestamp': String(now - 5) }],
      ['a timestamp that is no number', body, { ...genuine, 'webhook-timestamp': `${now}x` }],
      ['another id', body, { ...genuine, 'webhook-id': randomUUID() }],
      ['a wrong secret', body, webhookHeaders(body, randomSecret())],
      ['a shortened signature', body, { ...genuine, 'webhook-signature': signature.slice(0, -2) }],
      ['an unknown version', body, { ...genuine, 'webhook-signature': `v2${signature.slice(2)}` }],
      ['an empty signature', body, { ...genuine, 'webhook-signature': 'v1,' }],
      ['no headers', body, {}],
    ];
    for (const [what, text, headers] of forged)
      assert.equal(await statusOf(url, text, headers), 401, `${language}: ${what}`);
    assert.ok(!target.output().includes('forged'), target.output());

    // During a rotation there are two signatures, and a delivery may arrive twice.
    const rotated = webhookHeaders(body, [randomSecret(), secret]);
    assert.equal(await statusOf(url, body, rotated), 204);
    assert.equal(await statusOf(url, body, rotated), 204);
    assert.equal(target.output().split(`received ${type} forged`).length - 1, 1);
    const rotation = await subscribing.ask('POST', `/${subscription.id}/secrets`, {});
    assert.equal(rotation.status, 201, rotation.text);
    assert.equal(await statusOfTest(subscription), 204, 'the old secret after a rotation');
  });

  async function send(events: readonly SentEvent[], env: Readonly<Record<string, string>>) {
    const file = join(folder, `${randomUUID()}.json`);
    writeFileSync(file, JSON.stringify({ events }));
    const settings = { GATEHOUSE_URL: service.url, EVENT_SOURCE_SECRET: sourceSecret, ...env };
    return runProgram([...program.command(folder), 'send', file], settings);
  }
}

function orderEvent(language: string, number: number): SentEvent {
  return makeEvent({
    id: `order-${number}-${language}`,
    source: `${SOURCE}/${language}`,
    data: { text: 'Grüße – 灯 </', total: 49.9, empty: {}, none: [] },
  });
}

async function storedEvents(language: string): Promise<SentEvent[]> {
  const { items } = await readFeed(client, key);
  return items.map(({ event }) => event).filter((one) => one['source'] === `${SOURCE}/${language}`);
}

function randomSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Returns the status of the target's response to a test event. */
async function statusOfTest({ id }: SubscriptionWithSecret): Promise<unknown> {
  const answer = await subscribing.ask('POST', `/${id}/test`);
  return answer.json['status'];
}

async function statusOf(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | null> {
  const init = { method: 'POST', body, headers };
  return fetch(url, init).then(
    ({ status }) => status,
    () => null,
  );
}

function isAnswer(status: number | null): boolean {
  return status !== null;
}
