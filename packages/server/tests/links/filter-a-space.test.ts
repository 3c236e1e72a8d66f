import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { exchangeLink, makeKey, makeLink } from '../support/provision.ts';

const { client, bareClient, session, spaceId, path, search } = await knowledgeOfThisFile();

const DOCUMENTS = {
  'open.txt': { audience: 'all', level: 1 },
  'staff.txt': { audience: 'staff', level: 1 },
  'board.txt': { audience: 'board', level: 1 },
} as const;
type Name = keyof typeof DOCUMENTS;
const NAMES = Object.keys(DOCUMENTS) as Name[];
const QUESTION = [{ role: 'user', parts: [{ type: 'text', text: 'What is the picnic plan?' }] }];
const ids = new Map<Name, string>();

before(async () => {
  for (const [fileName, metadata] of Object.entries(DOCUMENTS)) {
    const text = `The picnic plan of ${fileName.slice(0, -4)} is settled.`;
    const { id } = await addDocument(client, session, spaceId, { fileName, text, metadata });
    ids.set(fileName as Name, id);
  }
});
beforeEach(() => setSpace({ permissionFilter: null, requireLinkFilter: false }));

async function setSpace(body: object): Promise<void> {
  const answer = await client(`/spaces/${spaceId}`, { method: 'PATCH', as: session, body });
  assert.equal(answer.status, 200, answer.text);
}

async function open(link: object = {}): Promise<string> {
  return exchangeLink(client, (await makeLink(client, session, { spaceId, ...link })).token);
}

async function assertSees(as: string, visible: readonly Name[]): Promise<void> {
  const found = await search({ query: 'picnic' }, as);
  assert.deepEqual(found.map(({ fileName }) => fileName).toSorted(), visible.toSorted(), 'search');
  const wide = { query: 'picnic', filter: { or: [{ audience: { ne: 'x' } }, { level: null }] } };
  assert.equal((await search(wide, as)).length, visible.length, 'a filter of the caller');
  const listed = (await client(path, { as })).json['items'] as { fileName: string }[];
  assert.deepEqual(listed.map(({ fileName }) => fileName).toSorted(), visible.toSorted(), 'list');
  const answer = await client('/chat', { as, body: { messages: QUESTION } });
  for (const name of NAMES) {
    const isVisible = visible.includes(name);
    for (const part of ['', '/content', '/passages']) {
      const opened = await client(`${path}/${ids.get(name)}${part}`, { as });
      assert.equal(opened.status, isVisible ? 200 : 404, `${name}${part}`);
    }
    if (!isVisible) assert.ok(!answer.text.includes(name.slice(0, -4)), `${name} is quoted`);
  }
  assert.equal(answer.text.includes('picnic plan of'), visible.length > 0, answer.text);
}

describe('the filter of a space', () => {
  test('is combined with the filters of every link by AND', async () => {
    const notBoard = { audience: { ne: 'board' } };
    for (const [link, visible] of [
      [{}, ['open.txt', 'staff.txt']],
      [{ permissionFilter: {} }, ['open.txt', 'staff.txt']],
      [
        { permissionFilter: { or: [notBoard, { audience: { eq: 'board' } }] } },
        ['open.txt', 'staff.txt'],
      ],
      [{ permissionFilter: { audience: { in: ['staff', 'board'] } } }, ['staff.txt']],
      [{ permissionFilter: { level: { eq: 1 } }, filter: { audience: 'all' } }, ['open.txt']],
      [{ filter: { audience: 'board' } }, []],
    ] as const) {
      await setSpace({ permissionFilter: notBoard });
      await assertSees(await open(link), visible);
    }
  });

  test('applies to the next request of sessions that already exist', async () => {
    const as = await open();
    await assertSees(as, NAMES);
    await setSpace({ permissionFilter: { audience: { eq: 'staff' } } });
    await assertSees(as, ['staff.txt']);
    await setSpace({ permissionFilter: { or: [] } });
    await assertSees(as, []);
    await setSpace({ permissionFilter: null });
    await assertSees(as, NAMES);
  });

  test('hides stored answers to which a hidden document was available, also for the next answer', async () => {
    const as = await open({ sub: 'ada', permissionFilter: { audience: { eq: 'board' } } });
    const answer = await client('/chat', { as, body: { id: 'picnic', messages: QUESTION } });
    assert.match(answer.text, /picnic plan of board/);
    const conversations = (await client('/chat/conversations', { as })).json['items'];
    const [{ id }] = conversations as [{ id: string }];
    const show = async () => (await client(`/chat/conversations/${id}`, { as })).text;
    assert.match(await show(), /picnic plan of board/);
    await setSpace({ permissionFilter: { audience: { ne: 'board' } } });
    const hidden = await show();
    assert.doesNotMatch(hidden, /board/);
    assert.match(hidden, /"state":"hidden"/);
    await setSpace({ permissionFilter: null });
    assert.match(await show(), /picnic plan of board/);
  });

  test('does not restrict users and API keys', async () => {
    await setSpace({ permissionFilter: { or: [] } });
    for (const as of [session, await makeKey(client, session, spaceId, ['read'])])
      assert.equal((await search({ query: 'picnic' }, as)).length, NAMES.length);
  });
});

describe('a space that requires filters', () => {
  const create = (link: object) =>
    client('/assistant-link', { as: session, body: { spaceId, ...link } });

  test('rejects links without a filter or with one that matches everything', async () => {
    await setSpace({ requireLinkFilter: true });
    for (const link of [
      {},
      { filter: { audience: 'all' } },
      { permissionFilter: {} },
      { permissionFilter: { and: [] } },
      { permissionFilter: { and: [{}, { and: [] }] } },
      { permissionFilter: { not: { or: [] } } },
      { permissionFilter: { not: { level: { in: [] } } } },
      { permissionFilter: { or: [{ level: { eq: 1 } }, {}] } },
    ]) {
      const answer = await create(link);
      assert.equal(answer.status, 400, JSON.stringify(link));
      assert.equal(answer.json['code'], 'links.filter-required');
      assert.match(answer.text, /permissionFilter: is required in this space/);
    }
    const key = await makeKey(client, session, spaceId, ['links:write']);
    for (const as of [key, session])
      for (const headers of [{}, { 'idempotency-key': 'one' }]) {
        const answer = await client('/assistant-link', { as, headers, body: { spaceId } });
        assert.equal(answer.json['code'], 'links.filter-required', answer.text);
      }
  });

  test('accepts links with a filter, and existing links without one continue to work', async () => {
    const as = await open();
    await setSpace({ requireLinkFilter: true });
    await assertSees(as, NAMES);
    for (const permissionFilter of [{ level: { eq: 1 } }, { or: [] }])
      assert.equal((await create({ permissionFilter })).status, 200);
    await setSpace({ requireLinkFilter: false });
    assert.equal((await create({})).status, 200);
  });
});

describe('a shown link', () => {
  const shown = async (link: object) => {
    const { id } = await makeLink(client, session, { spaceId, ...link });
    const one = (await client(`/assistant-link/${id}`, { as: session })).json;
    const list = await client(`/assistant-link?spaceId=${spaceId}&limit=200`, { as: session });
    const items = list.json['items'] as { id: string; unrestricted: boolean; warnings: string[] }[];
    const listed = items.find((item) => item.id === id);
    assert.deepEqual(
      [listed?.unrestricted, listed?.warnings],
      [one['unrestricted'], one['warnings']],
    );
    return one;
  };

  test('is unrestricted if neither the link nor the space has a permission filter', async () => {
    for (const [link, unrestricted] of [
      [{}, true],
      [{ permissionFilter: {} }, true],
      [{ permissionFilter: { and: [] } }, true],
      [{ filter: { audience: 'all' } }, true],
      [{ permissionFilter: { level: { eq: 1 } } }, false],
      [{ permissionFilter: { or: [] } }, false],
    ] as const)
      assert.equal((await shown(link))['unrestricted'], unrestricted, JSON.stringify(link));
    for (const [permissionFilter, unrestricted] of [
      [{ level: { eq: 1 } }, false],
      [{ and: [] }, true],
      [{}, true],
    ] as const) {
      await setSpace({ permissionFilter });
      assert.equal((await shown({}))['unrestricted'], unrestricted);
    }
  });

  test('has a warning for each member of widget that looks misspelt or has the wrong type', async () => {
    const widget = {
      greting: 'Hi',
      title: 7,
      suggestions: ['a', 3],
      theme: { acent: '#00f', mode: 'dark', radius: 4 },
      ours: true,
    };
    assert.deepEqual((await shown({ widget }))['warnings'], [
      'widget.greting: is unknown and ignored (did you mean widget.greeting?)',
      'widget.title: must be a string; the value is ignored',
      'widget.suggestions: must be an array of strings; the value is ignored',
      'widget.theme.acent: is unknown and ignored (did you mean widget.theme.accent?)',
    ]);
    const right = {
      title: 'Shop',
      suggestions: ['a'],
      theme: { accent: '#00f' },
      position: 'left',
    };
    assert.deepEqual((await shown({ widget: right }))['warnings'], []);
  });
});

test('a filter at the limits of the filter language works, and one above them is rejected', async () => {
  const as = await open();
  const patch = (permissionFilter: object) =>
    bareClient(`/spaces/${spaceId}`, { method: 'PATCH', as: session, body: { permissionFilter } });
  const values = Array.from({ length: 1000 }, (_, index) => `value ${index}`);
  assert.equal((await patch({ audience: { in: ['staff', ...values.slice(1)] } })).status, 200);
  await assertSees(as, ['staff.txt']);
  assert.equal((await patch({ audience: { in: ['all', ...values] } })).status, 400);
  await assertSees(as, ['staff.txt']);
});
