import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { evaluate, type FilterRecord, parse } from '@gatehouse/filter';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { startEmbeddingModel } from '../support/assistant/embedding-model.ts';
import { inParallel, untilIndexed } from '../support/knowledge/knowledge.ts';
import { randomDocuments, randomFilter } from '../support/knowledge/restricted-documents.ts';
import { untilVectorsStored } from '../support/knowledge/stored-vectors.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const DOCUMENTS = FULL ? 300 : 120;
const LINKS = FULL ? 60 : 10;
const CONCURRENCY = 8;
const LIMIT = 50;

const model = await startEmbeddingModel();
after(() => model[Symbol.asyncDispose]());
const { client, dataDir } = await serviceOfThisFile({
  env: {
    GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
    GATEHOUSE_RATE_LIMIT_READS_LINK: '0',
    GATEHOUSE_SEARCH_TIME_LINK: '0',
    GATEHOUSE_MODEL_URL: model.url,
    GATEHOUSE_EMBEDDING_MODEL: 'small',
  },
});
const random = seeded(SEED);
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const documents = randomDocuments(random, DOCUMENTS);

interface Found {
  readonly fileName: string;
  readonly score: number;
}

/** Uploads all documents and returns their filter records by file name. */
async function uploadAll(): Promise<Map<string, FilterRecord>> {
  await inParallel(documents, CONCURRENCY, async ({ fileName, text, metadata }) => {
    const body = { fileName, text, metadata };
    const answer = await client(`/spaces/${spaceId}/documents`, { as: session, body });
    assert.equal(answer.status, 201, answer.text);
  });
  await untilIndexed(client, session, spaceId);
  await untilVectorsStored(dataDir);
  const records = new Map<string, FilterRecord>();
  for (let after = ''; ; ) {
    const path = `/spaces/${spaceId}/documents?limit=200${after}`;
    const { json } = await client(path, { as: session });
    for (const shown of json['items'] as (FilterRecord & Found)[])
      records.set(shown.fileName, shown);
    if (json['next'] === null) return records;
    after = `&after=${json['next']}`;
  }
}

async function search(as: string, query: string, filter?: object): Promise<string[]> {
  const body = { query, limit: LIMIT, ...(filter === undefined ? {} : { filter }) };
  const answer = await client(`/spaces/${spaceId}/search`, { as, body });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json['items'] as Found[]).map(({ fileName }) => fileName);
}

const allows = (filter: unknown, record: FilterRecord) => {
  const parsed = parse(filter);
  return parsed.ok && evaluate(parsed.filter, record);
};

test(`vector searches of ${LINKS} links over ${DOCUMENTS} documents find only permitted documents, nearest first`, async (t) => {
  const records = await uploadAll();
  assert.equal(records.size, DOCUMENTS);
  let [seen, hidden, searches] = [0, 0, 0];

  async function checkSearch(
    as: string,
    query: string,
    allowed: ReadonlySet<string>,
    callerFilter?: object,
  ) {
    const found = await search(as, query, callerFilter);
    const wanted = [...allowed].filter(
      (name) =>
        callerFilter === undefined || allows(callerFilter, records.get(name) ?? assert.fail()),
    );
    const forbidden = found.filter((name) => !wanted.includes(name));
    assert.deepEqual(forbidden, [], `the search for ${query} returns forbidden documents`);
    assert.equal(new Set(found).size, found.length, 'no duplicate passages');
    assert.equal(found.length, Math.min(LIMIT, wanted.length), 'all permitted documents');
    const topic = query.replace('alias', 'topic');
    const about = documents.filter((one) => one.topic === topic && wanted.includes(one.fileName));
    assert.deepEqual(
      found.slice(0, about.length).toSorted(),
      about.map(({ fileName }) => fileName).toSorted(),
      `the search for ${query} returns the documents of the topic first`,
    );
    searches += 1;
  }

  await inParallel(Array.from({ length: LINKS }), CONCURRENCY, async () => {
    const permissionFilter = randomFilter(random);
    const { token } = await makeLink(client, session, { spaceId, permissionFilter });
    const as = await exchangeLink(client, token);
    const allowed = new Set(
      [...records].filter(([, record]) => allows(permissionFilter, record)).map(([name]) => name),
    );
    seen += allowed.size;
    hidden += DOCUMENTS - allowed.size;
    for (let round = 0; round < 3; round++) {
      const { topic } = random.pick(documents);
      await checkSearch(as, topic, allowed);
      // No document contains this word, so keyword search finds nothing and only vectors can match.
      await checkSearch(as, topic.replace('topic', 'alias'), allowed);
      await checkSearch(as, topic.replace('topic', 'alias'), allowed, randomFilter(random));
    }
  });
  t.diagnostic(
    `seed ${SEED}: ${searches} searches; ${seen} document views allowed, ${hidden} forbidden`,
  );
  assert.ok(seen > LINKS && hidden > LINKS, 'the filters permit some documents and forbid others');
});

test('a vector search no longer finds a document as soon as changed metadata forbids access', async () => {
  const { fileName, topic } = documents[0] ?? assert.fail();
  const permissionFilter = { withheld: { tp: 'absent' } };
  const link = await makeLink(client, session, { spaceId, permissionFilter });
  const as = await exchangeLink(client, link.token);
  const query = topic.replace('topic', 'alias');
  assert.ok((await search(as, query)).includes(fileName));
  const listed = await client(`/spaces/${spaceId}/search`, {
    as: session,
    body: { query: topic, limit: LIMIT },
  });
  const { documentId } =
    (listed.json['items'] as { fileName: string; documentId: string }[]).find(
      (one) => one.fileName === fileName,
    ) ?? assert.fail();
  const path = `/spaces/${spaceId}/documents/${documentId}`;
  const body = { metadata: { withheld: true } };
  assert.equal((await client(path, { method: 'PATCH', as: session, body })).status, 200);
  assert.ok(!(await search(as, query)).includes(fileName));
});
