import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { mutate } from '../support/mutate.ts';
import { makeLink } from '../support/provision.ts';
import { type Seeded, seeded } from '../support/seeded.ts';

const ROUNDS = roundsOf(200, 20_000);
const AT_ONCE = 8;
/** The statuses of valid requests and of requests that a client can correct. */
const EXPECTED = [200, 400, 404, 410, 413, 429];

const { client, bareClient, session, spaceId } = await knowledgeOfThisFile();

test(`answers ${ROUNDS} mutated requests for previews and space filters without a 5xx (seed ${SEED})`, async (t) => {
  const random = seeded(SEED);
  const metadata = { team: 'a', acl: [{ group: 'x' }], level: 3 };
  const { id: documentId } = await addDocument(client, session, spaceId, {
    fileName: 'plan.txt',
    text: 'The plan of the team.',
    metadata,
  });
  const { id: linkId } = await makeLink(client, session, { spaceId });
  const permissionFilter = {
    or: [
      { team: { in: ['a', 'b'] } },
      { not: { 'acl.group': { like: 'x%' } } },
      { search: 'plan' },
    ],
    level: { gte: 1, lt: 10 },
    createdAt: { gt: '2026-01-01' },
  };
  const planned = { permissionFilter, filter: { team: 'a', level: [1, 3], other: { near: 1 } } };
  const previews = `/spaces/${spaceId}/access-preview`;
  const requests = [
    { path: previews, method: 'POST', body: { ...planned, limit: 10 } },
    { path: previews, method: 'POST', body: { linkId, limit: 1 } },
    { path: `${previews}/explain`, method: 'POST', body: { ...planned, documentId } },
    { path: `${previews}/explain`, method: 'POST', body: { linkId, documentId } },
    { path: `${previews}/ask`, method: 'POST', body: { ...planned, question: 'Which plan?' } },
    {
      path: `/spaces/${spaceId}`,
      method: 'PATCH',
      body: { permissionFilter, requireLinkFilter: false },
    },
  ];
  const counts = new Map<number, number>();
  const headers = { 'content-type': 'application/json' };

  async function sendOne(): Promise<void> {
    const { path, method, body: valid } = random.pick(requests);
    const body =
      random.next() < 0.3
        ? mutate(Buffer.from(JSON.stringify(valid)), random)
        : Buffer.from(JSON.stringify(withReplacedPart(valid, random)));
    const answer = await bareClient(path, { as: session, method, body, headers });
    const shown = `${method} ${path} ${body.toString('base64')}`;
    assert.ok(EXPECTED.includes(answer.status), `${answer.status} ${answer.text} for ${shown}`);
    if (answer.status !== 200) assert.equal(typeof answer.json['code'], 'string', shown);
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
  }

  for (let sent = 0; sent < ROUNDS; sent += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, sendOne));
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'after=x', 'after=LTE', 'other=1'])
    assert.equal(
      (await bareClient(`/spaces/${spaceId}/metadata-fields?${query}`, { as: session })).status,
      400,
      query,
    );
  t.diagnostic(JSON.stringify(Object.fromEntries(counts)));
  assert.ok((counts.get(200) ?? 0) > 0 && (counts.get(400) ?? 0) > 0);
});

const PARTS: readonly unknown[] = [
  null,
  true,
  -0,
  1e308,
  '',
  '%',
  '\u0000',
  '\ud800',
  'x'.repeat(1001),
  [],
  {},
  [[], {}, null],
  { eq: null },
  { like: '%_\\' },
  { in: [] },
  { tp: 'array' },
  { and: [] },
  { not: { or: [] } },
  { search: 'plan' },
  JSON.parse('{"__proto__":{"eq":1}}'),
  { 'a/b~c.d': { ne: 1 } },
];

/** Returns a copy of a value in which one random part is replaced or removed, or has an additional member. */
function withReplacedPart(value: unknown, random: Seeded): unknown {
  if (typeof value !== 'object' || value === null || random.next() < 0.1) return random.pick(PARTS);
  const entries = Object.entries(value);
  if (entries.length === 0 || random.next() < 0.1)
    return {
      ...value,
      [random.pick(['team', 'or', 'not', 'acl.group', 'constructor'])]: random.pick(PARTS),
    };
  const chosen = random.below(entries.length);
  const isRemoved = random.next() < 0.1;
  const changed = entries.flatMap(([name, part], index) => {
    if (index !== chosen) return [[name, part] as const];
    return isRemoved ? [] : [[name, withReplacedPart(part, random)] as const];
  });
  return Array.isArray(value) ? changed.map(([, part]) => part) : Object.fromEntries(changed);
}
