/** Editors correct the answer to a question. The assistant uses the correction under the filters of each link. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { Chat, openLink, textOf } from '../support/assistant/chat.ts';
import { addDocument, untilDocumentIndexed } from '../support/knowledge/knowledge.ts';
import { mutate } from '../support/mutate.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client, bareClient, service } = await serviceOfThisFile();
let session = '';
let spaceId = '';
let path = '';

before(async () => {
  session = await signIn(client);
  ({ id: spaceId } = await makeSpace(client, session));
  path = `/spaces/${spaceId}/answers`;
  await addDocument(client, session, spaceId, {
    fileName: 'delivery.md',
    markdown: '# Delivery\n\nParcels to Sweden take three days.',
  });
});

const QUESTION = 'Do you ship *parcels* to\nNorway [C#]?';
const ANSWER = 'Yes, parcels to Norway take nine working days.';

async function correct(body: object, as = session) {
  const answer = await client(path, { as, body });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers.get('location'), `/spaces/${spaceId}/documents/${answer.json['id']}`);
  const document = await untilDocumentIndexed(
    client,
    session,
    answer.headers.get('location') ?? '',
  );
  assert.equal(document.state, 'ready');
  return answer.json;
}

test('a corrected answer is found by its question and used by the assistant, only within the filter of the link', async () => {
  const key = await makeKey(client, session, spaceId, ['knowledge:write']);
  const made = await correct({ question: QUESTION, answer: ANSWER, metadata: { level: 2 } }, key);
  assert.deepEqual(made['metadata'], { level: 2 });
  assert.equal(made['title'], 'Do you ship *parcels* to Norway [C#]?');
  const link = (level: number) =>
    openLink(client, session, { spaceId, permissionFilter: { level: { gte: level } } });
  const [allowed, denied] = [await link(2), await link(3)];
  const search = async (as: string) =>
    (await client(`/spaces/${spaceId}/search`, { as, body: { query: QUESTION } })).json[
      'items'
    ] as { documentId: string; heading: string; text: string }[];
  const [found] = await search(allowed.as);
  assert.equal(found?.documentId, made['id']);
  assert.equal(found?.heading, 'Do you ship *parcels* to Norway [C#]?');
  assert.equal(found?.text, ANSWER);
  assert.deepEqual(await search(denied.as), []);
  const question = 'Do you ship parcels to Norway?';
  assert.match(textOf(await new Chat(service.url, allowed.as).ask(question)), /nine working days/);
  assert.doesNotMatch(textOf(await new Chat(service.url, denied.as).ask(question)), /nine/);
});

test('the same answer for other metadata is another document', async () => {
  const body = { question: 'Is there a discount?', answer: 'Ten percent.' };
  const first = await correct({ ...body, metadata: { team: 'a' } });
  const second = await correct({ ...body, metadata: { team: 'b' } });
  assert.notEqual(first['id'], second['id']);
  const shown = await client(`/spaces/${spaceId}/documents/${first['id']}`, { as: session });
  assert.deepEqual(shown.json['metadata'], { team: 'a' });
});

test('metadata is required, and all problems are reported together', async () => {
  const send = (body: object) => client(path, { as: session, body });
  const issues = async (body: object) => {
    const answer = await send(body);
    assert.equal(answer.status, 400, answer.text);
    return (answer.json['issues'] as { message: string }[]).map(({ message }) => message);
  };
  const [missing] = await issues({ question: 'A?', answer: 'B.' });
  assert.match(missing ?? '', /^metadata: is required; it decides which links can see the answer/);
  const wrong = { question: ' \u200b', answer: '\n', metadata: { and: 1 } };
  assert.deepEqual(
    (await issues(wrong)).map((message) => message.split(':')[0]),
    ['question', 'answer', 'metadata.and'],
  );
  for (const metadata of [null, [], 'x']) await issues({ question: 'A?', answer: 'B.', metadata });
  const sized = (question: number, answer: number) => ({
    question: `${randomUUID()}${'q'.repeat(question - 36)}`,
    answer: 'a'.repeat(answer),
    metadata: {},
  });
  assert.equal((await send(sized(1000, 20_000))).status, 201);
  assert.equal((await send({ question: 'q', answer: 'a', metadata: {} })).status, 201);
  await issues(sized(1001, 1));
  await issues(sized(40, 20_001));
  await issues({ question: '', answer: '', metadata: {} });
});

const ROUNDS = roundsOf(120, 20_000);
const VALUES = [
  ...['', '0', '-1', '201', 'x', 'true', 'up', 'down', 'jsonl', 'csv', 'unanswered', 'disliked'],
  ...['%00', '%ff', '%ed%a0%80', '%F0%9F%98%80', "'%20or%201=1--", '[]', '9'.repeat(400)],
  ...['2026-02-30T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '1e999'],
  ...['MC4w', 'OTk5OTk5OTk5OTk5OTk5OS4w', '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a'],
];
const NAMES = [
  'sub',
  'linkId',
  'from',
  'to',
  'rating',
  'answered',
  'limit',
  'after',
  'format',
  'state',
  'x',
];
const READS = [
  'conversations',
  'conversations/export',
  'questions',
  'conversations/0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a',
];
const EXPECTED = [200, 201, 400, 404, 413, 415];

test(`answers ${ROUNDS} mutated reads of conversations and corrected answers without a 5xx (seed ${SEED})`, async () => {
  const random = seeded(SEED);
  const headers = { 'content-type': 'application/json' };
  const body = Buffer.from(
    JSON.stringify({ question: QUESTION, answer: ANSWER, metadata: { level: [1, { a: 'b' }] } }),
  );
  async function sendOne(): Promise<void> {
    const pairs = Array.from(
      { length: random.below(4) },
      () => `${random.pick(NAMES)}=${random.pick(VALUES)}`,
    );
    const read = `/spaces/${spaceId}/${random.pick(READS)}?${pairs.join('&')}`;
    const changed = mutate(body, random);
    const answer =
      random.below(3) === 0
        ? await bareClient(path, { as: session, method: 'POST', headers, body: changed })
        : await bareClient(read, { as: session });
    const shown = `${answer.status} ${answer.text.slice(0, 300)} for ${read} ${changed.toString('base64')}`;
    assert.ok(EXPECTED.includes(answer.status), shown);
    if (answer.status >= 400) assert.equal(typeof answer.json['code'], 'string', shown);
  }
  for (let sent = 0; sent < ROUNDS; sent += 8)
    await Promise.all(Array.from({ length: 8 }, sendOne));
});
