import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../tests/support/until.ts';
import type { SpaceAccess } from '../../identity/index.ts';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { FairLookups } from '../../lib/network/index.ts';
import { readQuery } from '../../lib/text/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { NO_WRITES } from '../../storage/ports/index.ts';
import { addDocument } from '../../storage/ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../../storage/ports/knowledge-scope.ts';
import { largeFilter } from '../../storage/ports/large-filter.suite.ts';
import { createPreviewRepository } from '../preview/preview.repository.ts';
import { subjectOf } from './crawl-event.rules.ts';
import { createCrawlModule } from './create-crawls.ts';

const store = await openNewStore();
after(() => store[Symbol.asyncDispose]());
const { knowledge: engine } = store;

/** Returns a space with two crawls that do not run, a document of each, and a document without a crawl. */
async function newSpace() {
  const errors: unknown[] = [];
  const module = createCrawlModule({
    ...{ engine, events: store.events, leases: store.leases, clock: Date.now },
    site: { allowed: [], userAgent: 'test', lookups: new FairLookups() },
    onError: (error) => errors.push(error),
  });
  const spaceId = randomUUIDv7();
  const space = { spaceId } as SpaceAccess;
  await addSpace(store, spaceId);
  const create = async (name: string) => {
    const sent = { name, startUrl: 'http://127.0.0.1:9/', defaultMetadata: {} };
    const { id } = await module.crawls.create(space, sent, NO_WRITES);
    await module.crawls.stop(space, id);
    return id;
  };
  const crawls = [await create('First'), await create('Second')] as const;
  const add = async (id: string, subject: string | null) => {
    await addDocument(engine, { spaceId, id: `${spaceId} ${id}`, metadata: {}, texts: ['prices'] });
    await engine.db
      .updateTable('documents')
      .set({ subject })
      .where('space_id', '=', spaceId)
      .where('id', '=', `${spaceId} ${id}`)
      .execute();
  };
  await add('first', subjectOf({ id: crawls[0] }, 'http://127.0.0.1:9/'));
  await add('second', subjectOf({ id: crawls[1] }, 'http://127.0.0.1:9/'));
  await add('uploaded', null);
  return { module, errors, space, crawls };
}

/** Returns the last words of the IDs of the documents that different reads find. */
async function seen({ spaceId }: SpaceAccess, filter: object): Promise<string[][]> {
  const scope = new KnowledgeScope(spaceId, filterOf(filter));
  const found = [
    (await engine.search(scope, readQuery('prices'), 10)).map(({ documentId }) => documentId),
    ...[
      await engine.documents(scope, (inScope) => inScope.select('id')),
      await engine.documents(scope, (inScope) => inScope.select('id'), { after: null, count: 10 }),
    ].map((rows) => rows.map(({ id }) => id)),
  ];
  const passages = ['first', 'second', 'uploaded'].map(async (name) =>
    (await engine.passages(scope, `${spaceId} ${name}`, 0, 1)).map(() => `${spaceId} ${name}`),
  );
  return [...found, (await Promise.all(passages)).flat()].map((ids) =>
    ids.map((id) => id.slice(spaceId.length + 1)).sort(),
  );
}

const FILTERS = [{}, { fileName: { like: '%' } }, { not: largeFilter('level', 'secret') }];

test('the documents of a deleted crawl are hidden before they are removed', async () => {
  const { module, space, crawls } = await newSpace();
  const all = ['first', 'second', 'uploaded'];
  for (const filter of FILTERS) assert.deepEqual(await seen(space, filter), [all, all, all, all]);
  await module.crawls.remove(space, crawls[0]);
  const left = ['second', 'uploaded'];
  for (const filter of FILTERS)
    assert.deepEqual(await seen(space, filter), [left, left, left, left]);
  const preview = createPreviewRepository(engine);
  assert.deepEqual(await preview.versions(space, `${space.spaceId} first`), []);
  assert.equal((await preview.versions(space, `${space.spaceId} second`)).length, 1);
  assert.equal((await preview.newestMetadata(space, null, 10)).length, 2);
});

test('a deleted crawl hides its documents until the last one is removed', async () => {
  const { module, errors, space, crawls } = await newSpace();
  await using crawler = module;
  const { spaceId } = space;
  const row = () =>
    engine.db
      .selectFrom('crawls')
      .where('space_id', '=', spaceId)
      .where('id', '=', crawls[0])
      .select('state')
      .executeTakeFirst();
  await crawler.crawls.remove(space, crawls[0]);
  await crawler.start();
  // The crawler looks for the deleted crawl at its start.
  await sleep(300);
  assert.equal((await row())?.state, 'deleting');
  await engine.db
    .deleteFrom('documents')
    .where('space_id', '=', spaceId)
    .where('id', '=', `${spaceId} first`)
    .execute();
  await until('the crawl is gone', async () => (await row()) === undefined);
  assert.deepEqual(errors, []);
});
