import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { evaluate, type FilterRecord, parse } from '@gatehouse/filter';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { callMcp } from '../support/assistant/mcp.ts';
import { ingest, makeEvent } from '../support/events/events.ts';
import { inParallel } from '../support/knowledge/knowledge.ts';
import { projectionsOf } from '../support/knowledge/projections.ts';
import { randomDocuments, randomFilter } from '../support/knowledge/restricted-documents.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const RECORDS = FULL ? 2000 : 120;
const LINKS = FULL ? 500 : 24;
const EVENTS_PER_REQUEST = 40;
const MEMBERS = ['department', 'level', 'tags', 'region', 'owner', 'acl'];

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
const projections = projectionsOf(client, session, spaceId);
const records = randomDocuments(random, RECORDS);
const stored = new Map<string, { id: string; topic: string; record: FilterRecord }>();

before(async () => {
  const key = await makeKey(client, session, spaceId);
  const { id } = await projections.create({
    name: 'Case',
    types: ['test.case'],
    key: 'subject',
    fields: {
      text: '/text',
      ...Object.fromEntries(MEMBERS.map((name) => [name, `/metadata/${name}`])),
    },
    title: '{key}',
    text: '{text}',
    metadata: Object.fromEntries(MEMBERS.map((name) => [name, { field: name }])),
  });
  // Each record first has the metadata of another one, which must have no effect afterwards.
  for (const shift of [1, 0])
    for (let at = 0; at < RECORDS; at += EVENTS_PER_REQUEST) {
      const events = records.slice(at, at + EVENTS_PER_REQUEST).map(({ marker, text }, index) => {
        const { metadata = {} } = records[(at + index + shift) % RECORDS] ?? {};
        const empty = Object.fromEntries(MEMBERS.map((name) => [name, null]));
        const data = { text, metadata: { ...empty, ...metadata } };
        return makeEvent({ type: 'test.case', subject: marker, data });
      });
      await ingest(client, { as: key, body: { events } });
    }
  await projections.untilCurrent(id);
  const topics = new Map(records.map(({ marker, topic }) => [marker, topic]));
  for (const { key: marker, documentId } of await projections.records(id)) {
    const shown = await client(`/spaces/${spaceId}/documents/${documentId}`, { as: session });
    const record = shown.json as unknown as FilterRecord;
    stored.set(marker, { id: String(documentId), topic: topics.get(marker) ?? '', record });
  }
  assert.equal(stored.size, RECORDS);
});

test(`${LINKS} links find exactly the permitted records out of ${RECORDS}`, async (t) => {
  let seen = 0;
  let hidden = 0;
  await inParallel(Array.from({ length: LINKS }), 4, async () => {
    const permissionFilter = randomFilter(random);
    const link = await makeLink(client, session, { spaceId, permissionFilter });
    const as = await exchangeLink(client, link.token);
    const parsed = parse(permissionFilter);
    assert.ok(parsed.ok);
    const isAllowed = (marker: string) => {
      const record = stored.get(marker)?.record;
      return record !== undefined && evaluate(parsed.filter, record);
    };
    for (const topic of new Set([random.pick(records).topic, random.pick(records).topic])) {
      const found = await projections.search(topic, as);
      const expected = [...stored]
        .filter(([marker, one]) => one.topic === topic && isAllowed(marker))
        .map(([marker]) => marker);
      const titles = found.map(({ title }) => title);
      const why = JSON.stringify(permissionFilter);
      // A search returns at most ten records. If more records match equally well, their numbers decide which ones.
      if (expected.length <= 10) assert.deepEqual(titles.sort(), expected.sort(), why);
      else
        assert.ok(titles.length === 10 && titles.every((title) => expected.includes(title)), why);
      seen += expected.length;
    }
    for (const marker of [random.pick(records).marker, random.pick(records).marker]) {
      const path = `/spaces/${spaceId}/documents/${stored.get(marker)?.id}`;
      const status = isAllowed(marker) ? 200 : 404;
      if (status === 404) hidden += 1;
      for (const suffix of ['', '/passages', '/content'])
        assert.equal((await client(path + suffix, { as })).status, status, suffix);
      const [exact] = await projections.search(`"${marker}"`, as);
      assert.equal(exact?.title, status === 200 ? marker : undefined);
      const call = { name: 'records', arguments: { query: `"${marker}"` } };
      const called = JSON.stringify(await callMcp(client, as, 'tools/call', call));
      assert.equal(called.includes(marker), status === 200);
    }
  });
  t.diagnostic(`seed ${SEED}: ${seen} records seen, ${hidden} hidden`);
  assert.ok(seen > 0 && hidden > 0, 'the filters permit some records and hide others');
});
