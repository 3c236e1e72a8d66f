import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { addDocument, inParallel } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { exchangeLink, makeLink, makeSpace } from '../support/provision.ts';

const { client, session, spaceId, search } = await knowledgeOfThisFile();

const DOCUMENTS = [
  { fileName: 'fox.txt', text: 'The quick brown fox jumps over the lazy dog.' },
  { fileName: 'emoji.txt', text: 'Press 🚀 to launch, or 👩‍🚀 to call an astronaut.' },
  { fileName: 'hebrew.txt', text: 'החנות פתוחה ביום ראשון משעה תשע.' },
  { fileName: 'arabic.txt', text: 'المتجر مفتوح يوم الأحد من الساعة التاسعة.' },
  { fileName: 'vitamin.txt', text: 'Vitamin c helps.' },
];

before(async () => {
  await inParallel(DOCUMENTS, 2, async (document) => {
    const metadata = { team: 'zoo', level: 1 };
    const { state } = await addDocument(client, session, spaceId, { ...document, metadata });
    assert.equal(state, 'ready');
  });
});

async function namesFor(body: object): Promise<string[]> {
  return (await search(body)).map(({ fileName }) => fileName);
}

/** Sends a search and returns the status, which must not be a server error. */
async function statusOf(body: object): Promise<number> {
  const { status, text } = await client(`/spaces/${spaceId}/search`, { as: session, body });
  assert.ok(status < 500, `${status} ${text.slice(0, 300)}`);
  return status;
}

test('a search in a scope that allows nothing returns an empty result', async () => {
  const nothing = [
    { or: [] },
    { not: {} },
    { team: { in: [] } },
    { and: [{ team: { eq: 'zoo' } }, { not: { team: { eq: 'zoo' } } }] },
  ];
  for (const permissionFilter of nothing) {
    const { token } = await makeLink(client, session, { spaceId, permissionFilter });
    const widget = await exchangeLink(client, token);
    for (const query of ['fox', '"quick brown fox"', 'e', '🚀', 'quikc bronw'])
      assert.deepEqual(await search({ query }, widget), [], JSON.stringify(permissionFilter));
  }
});

test('a query of the maximum length finds the document, and a longer query is rejected', async () => {
  const words = [...'abdefghijklmnopqrstuvwxyz'];
  const letters = Array.from({ length: 499 }, (_, index) => words[index % words.length]);
  assert.deepEqual(await namesFor({ query: ['c', ...letters].join(' ') }), ['vitamin.txt']);
  const several = Array.from({ length: 140 }, (_, index) => `w${index.toString(36)}`);
  assert.deepEqual(await namesFor({ query: `fox ${several.join(' ')}` }), ['fox.txt']);
  const thousand = Array.from({ length: 1000 }, (_, index) => `word${index}`).join(' ');
  assert.equal(await statusOf({ query: thousand }), 400);
});

test('a query of one letter is answered', async () => {
  assert.deepEqual(await namesFor({ query: 'c' }), ['vitamin.txt']);
  for (const query of ['a', 'ß', 'א', '中', '1'])
    assert.equal(await statusOf({ query }), 200, query);
});

test('queries of emoji are answered or rejected with a reason', async () => {
  for (const query of ['🚀', '👩‍🚀', '🚀'.repeat(250), '🇩🇪🇫🇷', '👍🏽', '\u{1F600}\uFE0F'])
    assert.ok([200, 400].includes(await statusOf({ query })), query);
  assert.deepEqual(await namesFor({ query: 'astronaut 👩‍🚀' }), ['emoji.txt']);
});

test('queries in scripts that are written from right to left find their documents', async () => {
  assert.deepEqual(await namesFor({ query: 'החנות פתוחה' }), ['hebrew.txt']);
  assert.deepEqual(await namesFor({ query: 'المتجر مفتوح' }), ['arabic.txt']);
  assert.deepEqual(await namesFor({ query: '\u202Eהחנות\u202C fox' }), ['fox.txt', 'hebrew.txt']);
});

test('characters with a meaning in regular expressions, SQL or search engines are plain text', async () => {
  for (const query of [
    '(a+)+$ fox',
    '[fox',
    'fox\\',
    '^fox$',
    '.*fox.*',
    'fox|',
    '(?<=fox)',
    "fox' xor '1'='1",
    'fox & !dog',
    'fox:*',
    'fox <-> dog',
    '%fox_',
    '"fox',
    'fox\u0001',
  ])
    assert.deepEqual(await namesFor({ query }), ['fox.txt'], query);
});

test('a filter at each of its limits is answered', async () => {
  const nested = (depth: number): object =>
    depth === 1 ? { team: { eq: 'zoo' } } : { not: nested(depth - 1) };
  const wide = (nodes: number) => ({
    or: [
      { team: { eq: 'zoo' } },
      ...Array.from({ length: nodes - 2 }, (_, index) => ({ [`key${index}`]: { eq: index } })),
    ],
  });
  const values = (count: number) => ({
    team: { in: ['zoo', ...Array.from({ length: count - 1 }, (_, index) => `team ${index}`)] },
  });
  const long = (length: number) => ({
    or: [{ team: { eq: 'zoo' } }, { team: { like: `${'a%'.repeat(length / 2)}` } }],
  });
  for (const [what, largest, tooLarge] of [
    ['depth', nested(31), nested(33)],
    ['nodes', wide(512), wide(513)],
    ['values', values(1000), values(1001)],
    ['characters', long(1000), long(1002)],
  ] as const) {
    assert.deepEqual(await namesFor({ query: 'fox', filter: largest }), ['fox.txt'], what);
    assert.equal(await statusOf({ query: 'fox', filter: tooLarge }), 400, what);
  }
});

test('a document with one word a million times is indexed or fails with a reason, and the word is found', async () => {
  const { id } = await makeSpace(client, session);
  const long = { fileName: 'long.txt', text: 'lemming '.repeat(1_000_000) };
  const { state } = await addDocument(client, session, id, long);
  const short = { fileName: 'short.txt', text: 'One lemming.' };
  assert.equal((await addDocument(client, session, id, short)).state, 'ready');
  for (const query of ['lemming', '"lemming lemming"', 'lemmings', 'lemming lemming lemming']) {
    const found = await client(`/spaces/${id}/search`, { as: session, body: { query } });
    assert.equal(found.status, 200, found.text.slice(0, 300));
    const names = (found.json['items'] as { fileName: string }[]).map(({ fileName }) => fileName);
    if (state === 'ready') assert.ok(names.includes('long.txt'), query);
    else if (query !== '"lemming lemming"') assert.deepEqual(names, ['short.txt'], query);
  }
});

test('documents with one word each are found by their word', async () => {
  const { id } = await makeSpace(client, session);
  const words = Array.from({ length: 100 }, (_, index) => `one${index.toString(36)}x`);
  await inParallel(words, 8, async (word) => {
    const body = { fileName: `${word}.txt`, text: word };
    const { status } = await client(`/spaces/${id}/documents`, { as: session, body });
    assert.equal(status, 201);
  });
  const last = { fileName: 'last.txt', text: 'shared' };
  await addDocument(client, session, id, last);
  for (const word of [words[0], words[50], words[99]]) {
    const found = await client(`/spaces/${id}/search`, { as: session, body: { query: word } });
    const [first] = found.json['items'] as { fileName: string }[];
    assert.equal(first?.fileName, `${word}.txt`);
  }
});
