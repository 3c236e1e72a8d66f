import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document } from '@gatehouse/contract';
import { addDocument, untilDocumentIndexed } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { newSynchronisedSpace } from '../support/knowledge/synchronised-space.ts';
import { exchangeLink, makeLink } from '../support/provision.ts';

const { client, session, spaceId, path, search, upload } = await knowledgeOfThisFile();

async function change(id: string, body: object) {
  return client(`${path}/${id}`, { method: 'PATCH', as: session, body });
}

/** Returns title and URL in the response for a document and in a search result. */
async function shown(id: string, query: string) {
  const { title, url } = (await client(`${path}/${id}`, { as: session })).json;
  const [found] = await search({ query });
  return { document: [title, url], passage: [found?.title, found?.url] };
}

const TITLES: readonly (readonly [what: string, document: object, title: string])[] = [
  [
    'the title element of HTML',
    { html: '<title>Our\n hours</title><h1>Hours</h1><p>x' },
    'Our hours',
  ],
  ['the first heading of HTML without a title', { html: '<h2>No</h2><h1>Hours</h1><p>x' }, 'Hours'],
  [
    'the first heading of level 1 in Markdown',
    { markdown: '## No\n\n# Hours *today*\n\nx' },
    'Hours today',
  ],
  ['the file name if the file has no title', { text: 'x' }, 'hours today.x'],
];
for (const [index, [what, document, title]] of TITLES.entries())
  test(`the title of a document is ${what}`, async () => {
    const fileName = 'hours today.x';
    const metadata = { index };
    const { id } = await addDocument(client, session, spaceId, { fileName, metadata, ...document });
    assert.equal((await client(`${path}/${id}`, { as: session })).json['title'], title);
    const [found] = await search({ query: 'hours', filter: { index: { eq: index } } });
    assert.deepEqual([found?.title, found?.url], [title, null]);
  });

test('a given title takes precedence over the title in the file, and searches return it with the URL', async () => {
  const sent = { title: ' How to\u202E \nreturn ', url: 'https://shop.example/returns?a=1#b' };
  const { headers, json } = await upload(
    'returns.md',
    '# Returns\n\nUse the kangaroo label.',
    sent,
  );
  const document = headers.get('location') ?? '';
  assert.deepEqual([json['title'], json['url']], ['How to return', sent.url]);
  await untilDocumentIndexed(client, session, document);
  const expected = ['How to return', sent.url];
  const id = String(json['id']);
  assert.deepEqual(await shown(id, 'kangaroo'), { document: expected, passage: expected });
});

test('title and URL change immediately, omitted members stay, and null resets them', async () => {
  const metadata = { team: 'zoo' };
  const { id } = await addDocument(client, session, spaceId, {
    fileName: 'wombats.md',
    markdown: '# Wombats\n\nThe wombat digs.',
    metadata,
  });
  const steps: readonly (readonly [object, readonly [string, string | null]])[] = [
    [{ title: 'Digging', url: 'http://a.example' }, ['Digging', 'http://a.example']],
    [{ title: 'Diggers' }, ['Diggers', 'http://a.example']],
    [{ title: null }, ['Wombats', 'http://a.example']],
    [{ url: null }, ['Wombats', null]],
  ];
  for (const [body, expected] of steps) {
    const changed = await change(id, body);
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.json['metadata'], metadata);
    assert.deepEqual(await shown(id, 'wombat digs'), { document: expected, passage: expected });
  }
});

test('a change without members and an invalid title or URL are rejected', async () => {
  const { id } = await addDocument(client, session, spaceId, { fileName: 'bad.txt', text: 'Bad.' });
  for (const [body, reason] of [
    [{}, /requires at least one of title, url and metadata/],
    [{ title: '\u200B' }, /title: must contain a visible character/],
    [{ title: 'a\u0000b' }, /title: must not contain U\+0000 or a lone surrogate/],
    [{ title: 'a\ud800b' }, /title: must not contain U\+0000 or a lone surrogate/],
    [{ url: 'ftp://a.example' }, /url: must be an absolute URL/],
    [{ title: 'x'.repeat(501), url: 'x', metadata: { and: 1 } }, /title: .*url: .*metadata\.and/s],
  ] as const) {
    const answer = await change(id, body);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, reason);
  }
});

test('an uploaded file with U+0000 in its title is rejected', async () => {
  const { status, json } = await upload('nul.txt', 'Nul.', { title: 'a\u0000b' });
  const message = 'title: must not contain U+0000 or a lone surrogate';
  assert.deepEqual([status, json['issues']], [400, [{ message }]]);
});

test('a repeated upload changes only the given title and URL', async () => {
  const sent = {
    fileName: 'again.txt',
    text: 'Sent again.',
    title: 'One',
    url: 'https://a.example',
  };
  const send = async (body: object) => (await client(path, { as: session, body })).json;
  const first = await send(sent);
  const { title: _, ...untitled } = sent;
  const second = await send({ ...untitled, url: 'https://b.example' });
  assert.deepEqual(
    [second['id'], second['title'], second['url']],
    [first['id'], 'One', 'https://b.example'],
  );
});

test('a session whose link does not permit a document sees neither its title nor its URL', async () => {
  const { id } = await addDocument(client, session, spaceId, {
    fileName: 'plan.txt',
    text: 'The platypus plan.',
    title: 'Top secret title',
    url: 'https://secret.example/plan',
    metadata: { level: 'closed' },
  });
  const permissionFilter = { level: { eq: 'open' } };
  const widget = await exchangeLink(
    client,
    (await makeLink(client, session, { spaceId, permissionFilter })).token,
  );
  const answers = await Promise.all([
    client(`/spaces/${spaceId}/search`, { as: widget, body: { query: 'platypus secret title' } }),
    client(path, { as: widget }),
    client(`${path}/${id}`, { as: widget }),
  ]);
  for (const { text } of answers) assert.doesNotMatch(text, /secret/);
});

test('a document event sets title and URL, and the next event without them resets them', async () => {
  const { sendChanges, documents } = await newSynchronisedSpace(client, session);
  const data = { fileName: 'a.md', markdown: '# In the file\n\nText.' };
  const about = { title: 'Given', url: 'https://wiki.example/a' };
  const now = async () => (await documents()).map(({ title, url }: Document) => [title, url]);
  await sendChanges({ subject: 'a', data: { ...data, ...about } });
  assert.deepEqual(await now(), [['Given', about.url]]);
  await sendChanges({ subject: 'a', data });
  assert.deepEqual(await now(), [['In the file', null]]);
  const [failed] = await sendChanges({ subject: 'a', data: { ...data, url: 'wiki/a' } });
  assert.match(String(failed?.failure?.message), /data\.url: must be an absolute URL/);
  assert.deepEqual(await now(), [['In the file', null]]);
});
