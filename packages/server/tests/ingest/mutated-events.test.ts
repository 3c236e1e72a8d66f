import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { ingest, makeEvent } from '../support/events/events.ts';
import { clientOf } from '../support/http/client.ts';
import { mutate } from '../support/mutate.ts';
import { seeded } from '../support/seeded.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';
import { withoutWarnings } from '../support/storage/backend.ts';

const COUNT = FULL ? 20_000 : 500;
const AT_ONCE = 20;
const EXPECTED = [200, 400, 401, 413, 415];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=',
  'application/json;;',
  'application/json; charset="',
  'application/cloudevents+json',
];

test(`answers ${COUNT} randomly mutated bodies as the contract specifies`, async (context) => {
  context.diagnostic(`seed ${SEED}`);
  const random = seeded(SEED);
  await using shop = await startChildWithSpace({ capture: true });
  const { key, service } = shop;
  const client = clientOf(service.url);
  const events = [
    makeEvent({
      time: '2026-03-04T05:06:07Z',
      data: { total: 49.9, lines: [1, [2, { a: null }]] },
    }),
    makeEvent({ id: '2', subject: 'ü😀', metadata: { sender: 'crm' }, dataschema: 'urn:schema' }),
    makeEvent({ id: '3', auth: { apiKey: key }, traceparent: '00-1-2-01' }),
  ];
  const valid = Buffer.from(JSON.stringify({ auth: { apiKey: key }, events }, null, 1));
  const counts = new Map<number, number>();

  async function sendOne(): Promise<void> {
    const body = mutate(valid, random);
    const type = random.next() < 0.9 ? 'application/json' : random.pick(TYPES);
    const as = random.next() < 0.5 ? key : undefined;
    const shown = `${type} ${body.toString('base64')}`;
    const answer = await client('/events', { as, body, headers: { 'content-type': type } });
    assert.ok(EXPECTED.includes(answer.status), `${answer.status} ${answer.text} for ${shown}`);
    if (answer.status === 200) {
      const { processed, failed, eventIds } = answer.json as Record<string, unknown>;
      assert.equal(processed, (eventIds as unknown[]).length, shown);
      assert.equal(typeof failed, 'number', shown);
    } else {
      assert.match(String(answer.json['code']), /^(http|events|access)\.[a-z-]+$/, shown);
    }
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
  }

  for (let sent = 0; sent < COUNT; sent += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, sendOne));
  context.diagnostic(JSON.stringify(Object.fromEntries(counts)));
  assert.equal((await ingest(client, { as: key, body: { events: [makeEvent()] } })).success, true);
  assert.equal(await service.stop(), 0);
  const stdout = withoutWarnings(service.output().stdout);
  assert.ok(!/"level":[456]0/.test(stdout), 'the log contains an error');
  assert.ok(!stdout.includes(key), 'the log contains the key');
});
