import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  evaluate,
  type Filter,
  type FilterRecord,
  type JsonObject,
  parse,
} from '@gatehouse/filter';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { callMcp } from '../support/assistant/mcp.ts';
import { inParallel, untilIndexed } from '../support/knowledge/knowledge.ts';
import {
  randomDocuments,
  randomFilter,
  type WrittenDocument,
} from '../support/knowledge/restricted-documents.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const DOCUMENTS = FULL ? 2000 : 300;
const LINKS = FULL ? 500 : 30;
const SPACE_FILTERS = FULL ? 50 : 3;
const CONCURRENCY = 16;

const { bareClient: client } = await serviceOfThisFile({
  env: {
    GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
    GATEHOUSE_RATE_LIMIT_READS_LINK: '0',
    GATEHOUSE_SEARCH_TIME_LINK: '0',
  },
});
const random = seeded(SEED);
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const documents = randomDocuments(random, DOCUMENTS);
/** Documents by the unique marker word in their name and text. */
const stored = new Map<string, { document: WrittenDocument; id: string; record: FilterRecord }>();

interface Shown {
  readonly id: string;
  readonly fileName: string;
  readonly language: string | null;
  readonly mimeType: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly metadata: JsonObject;
}

before(async () => {
  await inParallel(documents, CONCURRENCY, async ({ fileName, text, metadata }) => {
    const body = { fileName, text, metadata };
    const answer = await client(`/spaces/${spaceId}/documents`, { as: session, body });
    assert.equal(answer.status, 201, answer.text);
  });
  await untilIndexed(client, session, spaceId);
  for (const shown of await listAll(session)) {
    const document = documents.find(({ fileName }) => fileName === shown.fileName);
    assert.ok(document);
    stored.set(document.marker, { document, id: shown.id, record: shown });
  }
  assert.equal(stored.size, DOCUMENTS);
});

async function listAll(as: string): Promise<Shown[]> {
  const items: Shown[] = [];
  for (let after = ''; ; ) {
    const page = await client(`/spaces/${spaceId}/documents?limit=200${after}`, { as });
    assert.equal(page.status, 200, page.text);
    assertNothingForbidden(page.text, as);
    items.push(...(page.json['items'] as Shown[]));
    if (page.json['next'] === null) return items;
    after = `&after=${page.json['next']}`;
  }
}

/** Markers that each widget session may see. */
const allowedFor = new Map<string, ReadonlySet<string>>();

function assertNothingForbidden(text: string, as: string): void {
  const allowed = allowedFor.get(as);
  if (allowed === undefined) return;
  for (const [marker] of text.matchAll(/marker\d{5}/g))
    assert.ok(allowed.has(marker), `${marker} is exposed to a link that must not see it`);
}

test(`on every route, ${LINKS} links see exactly the permitted documents out of ${DOCUMENTS}`, async (t) => {
  let seen = 0;
  let hidden = 0;
  await inParallel(Array.from({ length: LINKS }), CONCURRENCY, async () => {
    const permissionFilter = randomFilter(random);
    const filter = random.next() < 0.3 ? randomFilter(random) : undefined;
    const link = await makeLink(client, session, {
      spaceId,
      permissionFilter,
      ...(filter === undefined ? {} : { filter }),
    });
    const as = await exchangeLink(client, link.token);
    const parts = [permissionFilter, ...(filter === undefined ? [] : [filter])].map(parsed);
    const allowed = new Set(
      [...stored]
        .filter(([, { record }]) => parts.every((part) => evaluate(part, record)))
        .map(([marker]) => marker),
    );
    allowedFor.set(as, allowed);
    seen += allowed.size;
    hidden += DOCUMENTS - allowed.size;
    await checkEveryRoute(as, allowed);
  });
  t.diagnostic(`seed ${SEED}: ${seen} document views allowed, ${hidden} forbidden`);
  assert.ok(seen > LINKS && hidden > LINKS, 'the filters permit some documents and forbid others');
});

test('under a random filter of the space, links still see exactly the permitted documents', async () => {
  const setFilter = async (permissionFilter: object | null) => {
    const body = { permissionFilter };
    const answer = await client(`/spaces/${spaceId}`, { method: 'PATCH', as: session, body });
    assert.equal(answer.status, 200, answer.text);
  };
  for (let round = 0; round < SPACE_FILTERS; round++) {
    const spaceFilter = randomFilter(random);
    await setFilter(spaceFilter);
    for (const permissionFilter of [undefined, randomFilter(random)]) {
      const link = permissionFilter === undefined ? {} : { permissionFilter };
      const as = await exchangeLink(
        client,
        (await makeLink(client, session, { spaceId, ...link })).token,
      );
      const parts = [spaceFilter, permissionFilter ?? {}].map(parsed);
      const allowed = new Set(
        [...stored]
          .filter(([, { record }]) => parts.every((part) => evaluate(part, record)))
          .map(([marker]) => marker),
      );
      allowedFor.set(as, allowed);
      await checkEveryRoute(as, allowed);
    }
  }
  await setFilter(null);
});

test('a forged cursor never returns passages of another document', async () => {
  const [first, second] = documents;
  const own = stored.get(second?.marker ?? '');
  assert.ok(first && own);
  const permissionFilter = { fileName: { eq: own.document.fileName } };
  const link = await makeLink(client, session, { spaceId, permissionFilter });
  const as = await exchangeLink(client, link.token);
  allowedFor.set(as, new Set([own.document.marker]));
  const passages = `/spaces/${spaceId}/documents/${own.id}/passages`;
  for (const position of [-1, -2, -65_537, -(2 ** 31), -(2 ** 43), -9e15, 65_535, 2 ** 43, 9e15]) {
    const after = Buffer.from(String(position)).toString('base64url');
    const answer = await client(`${passages}?after=${after}`, { as });
    assertNothingForbidden(answer.text, as);
    assert.equal(answer.status, position < 0 ? 400 : 200, answer.text);
  }
});

function parsed(json: unknown): Filter {
  const result = parse(json);
  assert.ok(result.ok);
  return result.filter;
}

async function checkEveryRoute(as: string, allowed: ReadonlySet<string>): Promise<void> {
  const listed = (await listAll(as)).map(({ fileName }) => fileName.match(/marker\d{5}/)?.[0]);
  assert.deepEqual(
    listed.toSorted(),
    [...allowed].toSorted(),
    'the list contains exactly the permitted documents',
  );
  for (let search = 0; search < 3; search++)
    await searchFor(random.pick(documents).topic, as, allowed);
  await searchWithin(as, allowed);
  await useMcp(as, allowed);
  await ask(random.pick(documents).topic, as, allowed);
  for (const { marker } of [random.pick(documents), random.pick(documents), random.pick(documents)])
    await open(marker, as, allowed);
}

/**
 * Searches for a topic and checks the results. A topic has fewer passages than the search limit, so the search must
 * return every permitted passage.
 */
async function searchFor(topic: string, as: string, allowed: ReadonlySet<string>): Promise<void> {
  const body = { query: topic, limit: 50 };
  const answer = await client(`/spaces/${spaceId}/search`, { as, body });
  assert.equal(answer.status, 200, answer.text);
  assertNothingForbidden(answer.text, as);
  const wanted = documents.filter((one) => one.topic === topic && allowed.has(one.marker));
  const found = (answer.json['items'] as Shown[]).map(({ fileName }) => fileName);
  assert.deepEqual(found.toSorted(), wanted.map(({ fileName }) => fileName).toSorted());
}

/** Checks the list of resources and the tools `search` and `read` of the MCP server. */
async function useMcp(as: string, allowed: ReadonlySet<string>): Promise<void> {
  const names: string[] = [];
  for (let params = {}; ; ) {
    const page = await callMcp<ResourcePage>(client, as, 'resources/list', params);
    names.push(...page.resources.map(({ name }) => name));
    if (page.nextCursor === undefined) break;
    params = { cursor: page.nextCursor };
  }
  const listed = names.map((name) => name.match(/marker\d{5}/)?.[0]);
  assert.deepEqual(listed.toSorted(), [...allowed].toSorted());

  const { topic, marker } = random.pick(documents);
  const query = { name: 'search', arguments: { query: topic, limit: 50 } };
  const found = await callMcp(client, as, 'tools/call', query);
  for (const document of documents.filter((one) => one.topic === topic))
    assert.equal(
      JSON.stringify(found).includes(document.marker),
      allowed.has(document.marker),
      'the search of the MCP server finds exactly the permitted documents',
    );
  const read = { name: 'read', arguments: { documentId: stored.get(marker)?.id } };
  const text = JSON.stringify(await callMcp(client, as, 'tools/call', read));
  assert.equal(text.includes(marker), allowed.has(marker));
}

interface ResourcePage {
  readonly resources: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

/**
 * Checks an answer and its stored conversation. Without a model, an answer quotes the passages that the link may see.
 */
async function ask(topic: string, as: string, allowed: ReadonlySet<string>): Promise<void> {
  const messages = [{ role: 'user', parts: [{ type: 'text', text: topic }] }];
  const answer = await client('/chat', { as, body: { messages } });
  assert.equal(answer.status, 200, answer.text);
  assertNothingForbidden(answer.text, as);
  const isAnswered = /marker\d{5}/.test(answer.text);
  const some = documents.some((one) => one.topic === topic && allowed.has(one.marker));
  assert.equal(isAnswered, some, answer.text);
  const [, id] = /"conversationId":"([^"]+)"/.exec(answer.text) ?? [];
  const stored = await client(`/chat/conversations/${id}`, { as });
  assertNothingForbidden(stored.text, as);
  assert.equal(/marker\d{5}/.test(stored.text), some);
}

/** Searches for a word that all documents contain, with a filter in the request, and checks the results. */
async function searchWithin(as: string, allowed: ReadonlySet<string>): Promise<void> {
  const own = randomFilter(random);
  const body = { query: 'handbook', limit: 50, filter: own };
  const answer = await client(`/spaces/${spaceId}/search`, { as, body });
  assertNothingForbidden(answer.text, as);
  const filter = parsed(own);
  const count = [...allowed].filter((marker) => {
    const found = stored.get(marker);
    return found !== undefined && evaluate(filter, found.record);
  }).length;
  assert.equal((answer.json['items'] as unknown[]).length, Math.min(50, count), answer.text);
}

async function open(marker: string, as: string, allowed: ReadonlySet<string>): Promise<void> {
  const found = stored.get(marker);
  assert.ok(found);
  const nowhere = '0199f3a2-0000-7000-8000-000000000000';
  for (const part of ['', '/content', '/passages']) {
    const answer = await client(`/spaces/${spaceId}/documents/${found.id}${part}`, { as });
    if (allowed.has(marker)) {
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, new RegExp(marker));
    } else {
      const missing = await client(`/spaces/${spaceId}/documents/${nowhere}${part}`, { as });
      assert.deepEqual(
        [answer.status, answer.text],
        [404, missing.text],
        'same error as for a missing document',
      );
    }
  }
}
