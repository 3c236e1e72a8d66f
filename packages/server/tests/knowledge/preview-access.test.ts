import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { evaluate, type FilterRecord, type JsonObject, parse } from '@gatehouse/filter';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import type { ClientResponse } from '../support/http/client.ts';
import { inParallel, untilIndexed } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { randomDocuments, randomFilter } from '../support/knowledge/restricted-documents.ts';
import { exchangeLink, makeLink, makeSpace } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';

const DOCUMENTS = FULL ? 500 : 40;
const FILTERS = FULL ? 300 : 8;
const EXPLAINED = 4;

const { client, bareClient, session, spaceId, path } = await knowledgeOfThisFile();
const random = seeded(SEED);
const records = new Map<string, FilterRecord>();

interface Listed extends FilterRecord {
  readonly id: string;
}
interface Preview {
  readonly visible: { readonly items: Listed[]; readonly next: string | null };
  readonly visibleCount: number;
  readonly hiddenCount: number;
}
interface Clause {
  readonly path: string;
  readonly filter: JsonObject;
  readonly holds: boolean;
  readonly actual?: unknown;
  readonly truncated?: boolean;
}

before(async () => {
  const documents = randomDocuments(random, DOCUMENTS);
  await inParallel(documents, 8, async ({ fileName, text, metadata }) => {
    const answer = await client(path, { as: session, body: { fileName, text, metadata } });
    assert.equal(answer.status, 201, answer.text);
  });
  await untilIndexed(client, session, spaceId);
  for (const document of await listAll(session)) records.set(document.id, document);
  assert.equal(records.size, DOCUMENTS);
});

async function listAll(as: string): Promise<Listed[]> {
  const items: Listed[] = [];
  for (let after = ''; ; ) {
    const page = await client(`${path}?limit=200${after}`, { as });
    items.push(...(page.json['items'] as Listed[]));
    if (page.json['next'] === null) return items;
    after = `&after=${page.json['next']}`;
  }
}

function post(part: string, body: object, space = spaceId): Promise<ClientResponse> {
  return client(`/spaces/${space}/access-preview${part}`, { as: session, body });
}

async function previewOf(target: object): Promise<Preview> {
  const answer = await post('', target);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as Preview;
}

async function explanationOf(target: object, documentId: string) {
  const answer = await post('/explain', { ...target, documentId });
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as { visible: boolean; clauses: Clause[] };
}

async function setSpaceFilter(permissionFilter: object | null): Promise<void> {
  const body = { permissionFilter };
  const answer = await client(`/spaces/${spaceId}`, { method: 'PATCH', as: session, body });
  assert.equal(answer.status, 200, answer.text);
}

function matches(filter: object, record: FilterRecord): boolean {
  const result = parse(filter);
  assert.ok(result.ok);
  return evaluate(result.filter, record);
}

test(`previews, explanations, widget sessions and the evaluated filters agree for random filters (seed ${SEED})`, async (t) => {
  let visibleOnes = 0;
  let hiddenOnes = 0;
  for (let round = 0; round < FILTERS; round += 1) {
    const spaceFilter = round % 3 === 0 ? null : randomFilter(random);
    await setSpaceFilter(spaceFilter);
    const filters = [randomFilter(random), ...(round % 2 === 0 ? [] : [randomFilter(random)])];
    const [permissionFilter, filter] = filters;
    const planned = { permissionFilter, ...(filter === undefined ? {} : { filter }) };
    const link = await makeLink(client, session, { spaceId, ...planned });
    const seen = (await listAll(await exchangeLink(client, link.token))).map(({ id }) => id);
    const parts = spaceFilter === null ? filters : [spaceFilter, ...filters];
    const permitted = [...records].filter(([, one]) => parts.every((part) => matches(part, one)));
    assert.deepEqual(seen.toSorted(), permitted.map(([id]) => id).toSorted());
    for (const target of [planned, { linkId: link.id }]) {
      const preview = await previewOf({ ...target, limit: 200 });
      assert.equal(preview.visible.next !== null, seen.length > 200);
      assert.deepEqual(
        preview.visible.items.map(({ id }) => id),
        seen.slice(0, 200),
      );
      assert.deepEqual(
        [preview.visibleCount, preview.hiddenCount],
        [seen.length, records.size - seen.length],
      );
    }
    const hidden = [...records.keys()].filter((id) => !seen.includes(id));
    for (const ids of [seen, hidden])
      for (const id of ids.slice(0, EXPLAINED)) {
        const target = random.next() < 0.5 ? planned : { linkId: link.id };
        const { visible, clauses } = await explanationOf(target, id);
        assert.equal(visible, seen.includes(id));
        const record = records.get(id);
        assert.ok(record);
        for (const clause of clauses) assert.equal(clause.holds, matches(clause.filter, record));
        assert.equal(combined(parts, clauses), visible, 'the clauses imply the visibility');
      }
    visibleOnes += seen.length;
    hiddenOnes += hidden.length;
  }
  await setSpaceFilter(null);
  t.diagnostic(`${visibleOnes} visible, ${hiddenOnes} hidden`);
  assert.ok(visibleOnes > 0 && hiddenOnes > 0);
});

/** Evaluates filters with the results of their clauses, which have the order of the filters. */
function combined(filters: readonly object[], clauses: readonly Clause[]): boolean {
  const left = clauses.values();
  const next = () => left.next().value?.holds === true;
  const every = (values: readonly unknown[], holds: (value: unknown) => boolean) =>
    values.map(holds).every(Boolean);
  const holds = (filter: unknown): boolean =>
    every(Object.entries(filter as object), (entry) => {
      const [name, value] = entry as [string, unknown];
      if (name === 'and') return every(value as unknown[], holds);
      if (name === 'or') return (value as unknown[]).map(holds).some(Boolean);
      if (name === 'not') return !holds(value);
      if (name === 'search' || value === null) return next();
      return every(Object.keys(value as object), next);
    });
  const result = every(filters, holds);
  assert.equal(left.next().done, true, 'every clause belongs to a predicate');
  return result;
}

describe('an explanation', () => {
  let spaceOfRules = '';
  let documentId = '';
  before(async () => {
    spaceOfRules = (await makeSpace(client, session)).id;
    const added = await client(`/spaces/${spaceOfRules}/documents`, {
      as: session,
      body: {
        fileName: 'Plan.txt',
        text: 'A plan.',
        metadata: {
          team: 'sales',
          acl: [{ group: 'staff' }, { group: 'board' }],
          long: 'x'.repeat(3000),
        },
      },
    });
    documentId = String(added.json['id']);
    const body = { permissionFilter: { 'acl.group': { ne: 'guests' }, long: { like: 'x%' } } };
    await client(`/spaces/${spaceOfRules}`, { method: 'PATCH', as: session, body });
  });
  const explain = (body: object) => post('/explain', { documentId, ...body }, spaceOfRules);

  test('names each predicate with its pointer, in the order space filter, permissionFilter, filter', async () => {
    const answer = await explain({
      permissionFilter: { or: [{ team: { eq: 'hr', like: 'S%' } }, { not: { search: 'PLAN' } }] },
      filter: { team: ['hr', 'legal'], level: null, nonsense: { near: 3 }, or: [{ team: null }] },
    });
    assert.equal(answer.json['visible'], false);
    assert.deepEqual(answer.json['clauses'], [
      {
        path: '/spaceFilter/acl.group/ne',
        filter: { 'acl.group': { ne: 'guests' } },
        holds: true,
        actual: ['staff', 'board'],
      },
      {
        path: '/spaceFilter/long/like',
        filter: { long: { like: 'x%' } },
        holds: true,
        actual: JSON.stringify('x'.repeat(3000)).slice(0, 2000),
        truncated: true,
      },
      {
        path: '/permissionFilter/or/0/team/eq',
        filter: { team: { eq: 'hr' } },
        holds: false,
        actual: 'sales',
      },
      {
        path: '/permissionFilter/or/0/team/like',
        filter: { team: { like: 'S%' } },
        holds: true,
        actual: 'sales',
      },
      {
        path: '/permissionFilter/or/1/not/search',
        filter: { search: 'PLAN' },
        holds: true,
        actual: ['Plan.txt'],
      },
      {
        path: '/filter/team',
        filter: { team: { in: ['hr', 'legal'] } },
        holds: false,
        actual: 'sales',
      },
      { path: '/filter/level', filter: { level: { eq: null } }, holds: true },
      {
        path: '/filter/or/0/team',
        filter: { team: { eq: null } },
        holds: false,
        actual: 'sales',
      },
    ]);
  });

  test('of a document in another space, or of one that does not exist, is a 404', async () => {
    const foreign = [...records.keys()][0];
    for (const id of [foreign, '0199f3a2-0000-7000-8000-000000000000'])
      assert.equal((await explain({ permissionFilter: {}, documentId: id })).status, 404);
  });

  test('of a filter without predicates has no clauses besides those of the space', async () => {
    const { json } = await explain({ permissionFilter: { and: [] } });
    assert.deepEqual([json['visible'], (json['clauses'] as Clause[]).length], [true, 2]);
  });
});

describe('a preview', () => {
  test('has pages', async () => {
    const first = await previewOf({ permissionFilter: {}, limit: 7 });
    assert.equal(first.visible.items.length, 7);
    const second = await previewOf({ permissionFilter: {}, limit: 200, after: first.visible.next });
    const ids = [...first.visible.items, ...second.visible.items].map(({ id }) => id);
    assert.deepEqual(ids, [...records.keys()]);
    assert.deepEqual([second.visibleCount, second.hiddenCount], [records.size, 0]);
  });

  test('ignores a number that no double can represent, as a link with this filter does', async () => {
    const body = '{"permissionFilter":{},"filter":{"fileName":1e400}}';
    const preview = await client(`/spaces/${spaceId}/access-preview`, { as: session, body });
    assert.equal(preview.json['visibleCount'], records.size, preview.text);
  });

  test('of an expired or revoked link is a 410, and of a link in another space a 404', async () => {
    const revoked = await makeLink(client, session, { spaceId });
    await client(`/assistant-link/${revoked.id}`, { method: 'DELETE', as: session });
    const other = await makeSpace(client, session);
    const foreign = await makeLink(client, session, { spaceId: other.id });
    const soon = await makeLink(client, session, { spaceId, exp: Date.now() / 1000 + 0.3 });
    await new Promise((resolve) => setTimeout(resolve, 400));
    const documentId = [...records.keys()][0];
    for (const [part, members] of [
      ['', {}],
      ['/explain', { documentId }],
      ['/ask', { question: 'Why?' }],
    ] as const) {
      for (const [linkId, status, code] of [
        [revoked.id, 410, 'links.revoked'],
        [soon.id, 410, 'links.expired'],
        [foreign.id, 404, 'links.not-found'],
        ['0199f3a2-0000-7000-8000-000000000000', 404, 'links.not-found'],
      ] as const) {
        const answer = await post(part, { linkId, ...members });
        assert.deepEqual([answer.status, answer.json['code']], [status, code], part);
      }
    }
  });

  test('reports every problem of its request', async () => {
    const linkId = '0199f3a2-0000-7000-8000-000000000000';
    const ask = (body: object) =>
      bareClient(`/spaces/${spaceId}/access-preview`, { as: session, body });
    for (const [body, names] of [
      [{}, ['linkId']],
      [{ filter: {} }, ['linkId']],
      [{ linkId, permissionFilter: {} }, ['linkId']],
      [{ linkId, filter: {} }, ['filter']],
      [{ permissionFilter: { team: 3 }, limit: 0 }, ['limit', 'permissionFilter.team']],
      [{ permissionFilter: {}, limit: 201 }, ['limit']],
      [{ permissionFilter: {}, permisionFilter: {} }, ['permisionFilter']],
    ] as const) {
      const answer = await ask(body);
      assert.equal(answer.status, 400, answer.text);
      const issues = answer.json['issues'] as { message: string }[];
      assert.deepEqual(
        issues.map(({ message }) => message.split(':')[0]),
        names,
      );
    }
    assert.equal((await ask({ permissionFilter: {}, after: 'x' })).status, 400);
  });
});

describe('an asked question', () => {
  const question = 'What does the handbook say?';

  test('is answered from the documents of the link, and nothing is stored', async () => {
    const [id, record] = [...records][0] ?? assert.fail();
    const permissionFilter = { fileName: { eq: record.fileName } };
    const link = await makeLink(client, session, { spaceId, permissionFilter, sub: 'ada' });
    for (const target of [{ permissionFilter }, { linkId: link.id }]) {
      const answer = await post('/ask', { ...target, question });
      assert.equal(answer.status, 200, answer.text);
      const { passages, answer: given } = answer.json as {
        passages: { documentId: string }[];
        answer: { text: string; state: string; failure: null; sources: { filename: string }[] };
      };
      assert.ok(passages.length > 0);
      assert.ok(passages.every(({ documentId }) => documentId === id));
      assert.deepEqual([given.state, given.failure], ['finished', null]);
      assert.deepEqual(given.sources[0]?.filename, record.fileName);
    }
    const as = await exchangeLink(client, link.token);
    assert.deepEqual((await client('/chat/conversations', { as })).json['items'], []);
    const shown = (await client(`/assistant-link/${link.id}`, { as: session })).json;
    assert.equal(shown['exchanges'], 1, 'only the exchange of this test counts');
  });

  test('finds nothing that the filter of the space hides', async () => {
    await setSpaceFilter({ or: [] });
    const answer = await post('/ask', { permissionFilter: {}, question });
    assert.deepEqual(answer.json['passages'], []);
    assert.deepEqual((answer.json['answer'] as { sources: unknown[] }).sources, []);
    await setSpaceFilter(null);
  });

  test('has between 1 and 4,000 characters of text', async () => {
    const status = async (text: string) => {
      const body = { permissionFilter: {}, question: text };
      return (await bareClient(`/spaces/${spaceId}/access-preview/ask`, { as: session, body }))
        .status;
    };
    assert.equal(await status('x'.repeat(4000)), 200);
    for (const text of ['', '  ', 'x'.repeat(4001)]) assert.equal(await status(text), 400);
  });
});

describe('the metadata fields of a space', () => {
  test('are dotted names with types and frequent values, most frequent first', async () => {
    const { id } = await makeSpace(client, session);
    for (const [index, metadata] of [
      { team: 'sales', acl: [{ group: 'staff' }, { group: ['a', 3] }], open: true },
      { team: ['sales', 'hr'], nested: { level: 2 }, open: true },
      { team: null, long: 'x'.repeat(201), open: true },
    ].entries()) {
      const body = { fileName: `${index}.txt`, text: 'A text.', metadata };
      assert.equal((await client(`/spaces/${id}/documents`, { as: session, body })).status, 201);
    }
    const list = async (query = '') =>
      (await client(`/spaces/${id}/metadata-fields${query}`, { as: session })).json as {
        items: { name: string; types: string[]; documents: number; values: object[] }[];
        next: string | null;
        inspectedDocuments: number;
        totalDocuments: number;
      };
    const { items, next, inspectedDocuments, totalDocuments } = await list();
    assert.deepEqual([next, inspectedDocuments, totalDocuments], [null, 3, 3]);
    assert.deepEqual(
      items.map(({ name, documents, types }) => [name, documents, types.toSorted()]),
      [
        ['open', 3, ['boolean']],
        ['team', 3, ['array', 'null', 'string']],
        ['acl', 1, ['array']],
        ['acl.group', 1, ['number', 'string']],
        ['long', 1, ['string']],
        ['nested', 1, ['object']],
        ['nested.level', 1, ['number']],
      ],
    );
    const values = new Map(items.map((field) => [field.name, field.values]));
    assert.deepEqual(values.get('team')?.[0], { value: 'sales', documents: 2 });
    assert.deepEqual(values.get('acl.group'), [
      { value: 'staff', documents: 1 },
      { value: 'a', documents: 1 },
      { value: 3, documents: 1 },
    ]);
    assert.deepEqual(values.get('long'), []);
    const first = await list('?limit=3');
    const rest = await list(`?limit=4&after=${first.next}`);
    assert.deepEqual([...first.items, ...rest.items], items);
    assert.equal(rest.next, null);
  });
});
