import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Usage } from '@gatehouse/contract';
import { Chat, openLink } from '../support/assistant/chat.ts';
import { startFakeModel } from '../support/assistant/fake-model.ts';
import { ingest, makeEvents } from '../support/events/events.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';

const model = await startFakeModel();
after(() => model[Symbol.asyncDispose]());
const { client, service } = await serviceOfThisFile({
  env: {
    GATEHOUSE_MODEL_URL: model.url,
    GATEHOUSE_MODEL_NAME: 'small',
    GATEHOUSE_MODEL_PRICE_INPUT: '2',
    GATEHOUSE_MODEL_PRICE_OUTPUT: '8',
  },
});
const today = () => new Date().toISOString().slice(0, 10);
let admin = '';
let spaceId = '';
let key = '';

before(async () => {
  admin = await signIn(client);
  spaceId = (await makeSpace(client, admin)).id;
  key = await makeKey(client, admin, spaceId, ['events:write', 'read']);
});

async function usage(query = '', as = key, of = spaceId): Promise<Usage> {
  const { status, text, json } = await client(`/spaces/${of}/usage${query}`, { as });
  assert.equal(status, 200, text);
  return json as unknown as Usage;
}

test('questions, tokens, cost, documents and events are counted on the current day', async () => {
  const first = today();
  await addDocument(client, admin, spaceId, { fileName: 'a.txt', text: 'Refunds take a week.' });
  await ingest(client, { as: key, body: { events: makeEvents(3) } });
  await ingest(client, { as: key, body: { events: makeEvents(2) } });
  model.behave({ does: 'answer', pieces: ['A week [1].'] });
  const link = await openLink(client, admin, { spaceId });
  await new Chat(service.url, link.as).ask('How long does a refund take?');
  await until('all counts are written', async () => {
    const { totals } = await usage();
    return totals.questions === 1 && totals.events === 5 && totals.documents === 1;
  });
  const { totals, days, from, to } = await usage();
  assert.ok(totals.inputTokens > 0 && totals.outputTokens > 0);
  const cost = (totals.inputTokens * 2 + totals.outputTokens * 8) / 1_000_000;
  assert.ok(Math.abs(totals.cost - cost) < 1e-9, String(totals.cost));
  assert.equal(days.length, 30);
  assert.deepEqual([from, to], [days[0]?.day, days.at(-1)?.day]);
  // The test may run at midnight.
  const used = days.filter(({ day }) => day === first || day === today());
  assert.equal(
    used.reduce((sum, { events }) => sum + events, 0),
    5,
  );
  assert.ok(days.slice(0, -2).every(({ events, questions }) => events === 0 && questions === 0));
});

test('a period is at most 366 days, and another space has its own counts', async () => {
  const other = (await makeSpace(client, admin)).id;
  assert.equal((await usage('', admin, other)).totals.events, 0);
  assert.equal((await client(`/spaces/${other}/usage`, { as: key })).status, 403);
  assert.equal((await usage('?from=2024-01-01&to=2024-12-31')).days.length, 366);
  assert.equal((await usage('?from=2026-02-28&to=2026-02-28')).days.length, 1);
  assert.equal((await usage('?to=0000-01-02')).from, '0000-01-01');
  for (const query of [
    'from=2024-01-01&to=2025-01-01',
    'from=2026-05-02&to=2026-05-01',
    'from=2026-02-30',
    'from=yesterday',
    'to=2026-13-01',
    'day=2026-05-01',
  ])
    assert.equal(
      (await client(`/spaces/${spaceId}/usage?${query}`, { as: key })).status,
      400,
      query,
    );
});
