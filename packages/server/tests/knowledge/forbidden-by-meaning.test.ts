import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { evaluate, type FilterRecord, parse } from '@gatehouse/filter';
import { FULL, SEED } from '../support/campaign.ts';
import { startEmbeddingModel } from '../support/embedding-model.ts';
import { serviceOfThisFile } from '../support/file-service.ts';
import { inParallel, untilRead } from '../support/knowledge.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { randomDocuments, randomFilter } from '../support/restricted.ts';
import { seeded } from '../support/seeded.ts';
import { untilKept } from '../support/vectors.ts';

const DOCUMENTS = FULL ? 300 : 160;
const LINKS = FULL ? 60 : 15;
const AT_ONCE = 8;
const MOST = 50;

const model = await startEmbeddingModel();
after(() => model[Symbol.asyncDispose]());
const { client, dataDir } = await serviceOfThisFile({
  env: {
    GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
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

/** Documents as the filter sees them, by their name. */
async function putIn(): Promise<Map<string, FilterRecord>> {
  await inParallel(documents, AT_ONCE, async ({ fileName, text, metadata }) => {
    const body = { fileName, text, metadata };
    const answer = await client(`/spaces/${spaceId}/documents`, { as: session, body });
    assert.equal(answer.status, 201, answer.text);
  });
  await untilRead(client, session, spaceId);
  await untilKept(dataDir);
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
  const body = { query, limit: MOST, ...(filter === undefined ? {} : { filter }) };
  const answer = await client(`/spaces/${spaceId}/search`, { as, body });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json['items'] as Found[]).map(({ fileName }) => fileName);
}

const allows = (filter: unknown, record: FilterRecord) => {
  const parsed = parse(filter);
  return parsed.ok && evaluate(parsed.filter, record);
};

test(`of ${DOCUMENTS} documents, ${LINKS} links find by meaning what their filters let them, nearest first, and nothing else`, async (t) => {
  const records = await putIn();
  assert.equal(records.size, DOCUMENTS);
  let [seen, hidden, searches] = [0, 0, 0];

  async function lookFor(as: string, query: string, allowed: ReadonlySet<string>, own?: object) {
    const found = await search(as, query, own);
    const wanted = [...allowed].filter(
      (name) => own === undefined || allows(own, records.get(name) ?? assert.fail()),
    );
    const forbidden = found.filter((name) => !wanted.includes(name));
    assert.deepEqual(forbidden, [], `${query} shows what must not be seen`);
    assert.equal(new Set(found).size, found.length, 'each passage once');
    assert.equal(found.length, Math.min(MOST, wanted.length), 'as many as there are');
    const topic = query.replace('alias', 'topic');
    const about = documents.filter((one) => one.topic === topic && wanted.includes(one.fileName));
    assert.deepEqual(
      found.slice(0, about.length).toSorted(),
      about.map(({ fileName }) => fileName).toSorted(),
      `${query} finds what is about it before all else`,
    );
    searches += 1;
  }

  await inParallel(Array.from({ length: LINKS }), AT_ONCE, async () => {
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
      await lookFor(as, topic, allowed);
      // No document has this word: it can only be found by its vector.
      await lookFor(as, topic.replace('topic', 'alias'), allowed);
      await lookFor(as, topic.replace('topic', 'alias'), allowed, randomFilter(random));
    }
  });
  t.diagnostic(
    `seed ${SEED}: ${searches} searches; ${seen} document views allowed, ${hidden} forbidden`,
  );
  assert.ok(seen > LINKS && hidden > LINKS, 'the filters are neither all open nor all closed');
});

test('what a change of metadata forbids is not found by meaning any more, at once', async () => {
  const { fileName, topic } = documents[0] ?? assert.fail();
  const permissionFilter = { withheld: { tp: 'absent' } };
  const link = await makeLink(client, session, { spaceId, permissionFilter });
  const as = await exchangeLink(client, link.token);
  const query = topic.replace('topic', 'alias');
  assert.ok((await search(as, query)).includes(fileName));
  const listed = await client(`/spaces/${spaceId}/search`, {
    as: session,
    body: { query: topic, limit: MOST },
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
