import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  evaluate,
  type Filter,
  type FilterRecord,
  type JsonObject,
  parse,
} from '@gatehouse/filter';
import { FULL, SEED } from '../support/campaign.ts';
import { serviceOfThisFile } from '../support/file-service.ts';
import { inParallel, untilRead } from '../support/knowledge.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { randomDocuments, randomFilter, type WrittenDocument } from '../support/restricted.ts';
import { seeded } from '../support/seeded.ts';

const DOCUMENTS = FULL ? 2000 : 400;
const LINKS = FULL ? 500 : 50;
const AT_ONCE = 16;

const { bareClient: client } = await serviceOfThisFile({
  env: { GATEHOUSE_RATE_LIMIT_EXCHANGE: '0' },
});
const random = seeded(SEED);
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const documents = randomDocuments(random, DOCUMENTS);
/** By the marker in a document's name and text, which no other has. */
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
  await inParallel(documents, AT_ONCE, async ({ fileName, text, metadata }) => {
    const body = { fileName, text, metadata };
    const answer = await client(`/spaces/${spaceId}/documents`, { as: session, body });
    assert.equal(answer.status, 201, answer.text);
  });
  await untilRead(client, session, spaceId);
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

/** What each session may see, once it is known. */
const allowedFor = new Map<string, ReadonlySet<string>>();

function assertNothingForbidden(text: string, as: string): void {
  const allowed = allowedFor.get(as);
  if (allowed === undefined) return;
  for (const [marker] of text.matchAll(/marker\d{5}/g))
    assert.ok(allowed.has(marker), `${marker} is shown to a link that must not see it`);
}

test(`of ${DOCUMENTS} documents, ${LINKS} links see exactly what their filters let them, on every surface`, async (t) => {
  let seen = 0;
  let hidden = 0;
  await inParallel(Array.from({ length: LINKS }), AT_ONCE, async () => {
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
    await lookEverywhere(as, allowed);
  });
  t.diagnostic(`seed ${SEED}: ${seen} document views allowed, ${hidden} forbidden`);
  assert.ok(seen > LINKS && hidden > LINKS, 'the filters are neither all open nor all closed');
});

test('a cursor that somebody made up shows no passage of another document', async () => {
  const [first, second] = documents;
  const own = stored.get(second?.marker ?? '');
  assert.ok(first && own);
  const permissionFilter = { fileName: { eq: own.document.fileName } };
  const link = await makeLink(client, session, { spaceId, permissionFilter });
  const as = await exchangeLink(client, link.token);
  allowedFor.set(as, new Set([own.document.marker]));
  const passages = `/spaces/${spaceId}/documents/${own.id}/passages`;
  for (const place of [-1, -2, -65_537, -(2 ** 31), -(2 ** 43), -9e15, 65_535, 2 ** 43, 9e15]) {
    const after = Buffer.from(String(place)).toString('base64url');
    const answer = await client(`${passages}?after=${after}`, { as });
    assertNothingForbidden(answer.text, as);
    assert.equal(answer.status, place < 0 ? 400 : 200, answer.text);
  }
});

function parsed(json: unknown): Filter {
  const result = parse(json);
  assert.ok(result.ok);
  return result.filter;
}

async function lookEverywhere(as: string, allowed: ReadonlySet<string>): Promise<void> {
  const listed = (await listAll(as)).map(({ fileName }) => fileName.match(/marker\d{5}/)?.[0]);
  assert.deepEqual(
    listed.toSorted(),
    [...allowed].toSorted(),
    'the list is exactly what is allowed',
  );
  for (let search = 0; search < 3; search++)
    await searchFor(random.pick(documents).topic, as, allowed);
  await searchWithin(as, allowed);
  await ask(random.pick(documents).topic, as, allowed);
  for (const { marker } of [random.pick(documents), random.pick(documents), random.pick(documents)])
    await open(marker, as, allowed);
}

/** Each topic stands in fewer passages than a search gives, so that all allowed ones must come. */
async function searchFor(topic: string, as: string, allowed: ReadonlySet<string>): Promise<void> {
  const body = { query: topic, limit: 50 };
  const answer = await client(`/spaces/${spaceId}/search`, { as, body });
  assert.equal(answer.status, 200, answer.text);
  assertNothingForbidden(answer.text, as);
  const wanted = documents.filter((one) => one.topic === topic && allowed.has(one.marker));
  const found = (answer.json['items'] as Shown[]).map(({ fileName }) => fileName);
  assert.deepEqual(found.toSorted(), wanted.map(({ fileName }) => fileName).toSorted());
}

/** The built-in answerer quotes what it is given: the answer, its sources and the conversation as it is kept. */
async function ask(topic: string, as: string, allowed: ReadonlySet<string>): Promise<void> {
  const messages = [{ role: 'user', parts: [{ type: 'text', text: topic }] }];
  const answer = await client('/chat', { as, body: { messages } });
  assert.equal(answer.status, 200, answer.text);
  assertNothingForbidden(answer.text, as);
  const isAnswered = /marker\d{5}/.test(answer.text);
  const some = documents.some((one) => one.topic === topic && allowed.has(one.marker));
  assert.equal(isAnswered, some, answer.text);
  const [, id] = /"conversationId":"([^"]+)"/.exec(answer.text) ?? [];
  const kept = await client(`/chat/conversations/${id}`, { as });
  assertNothingForbidden(kept.text, as);
  assert.equal(/marker\d{5}/.test(kept.text), some);
}

/** A caller's own filter narrows, and a search for what all documents have is full of allowed ones. */
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
      assert.deepEqual([answer.status, answer.text], [404, missing.text], 'as if it did not exist');
    }
  }
}
