import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { plansOf, recordQueries } from '../../storage/query-plans.suite.ts';
import { createCrawlPageRepository } from './crawl-page.repository.ts';

test('the counts of a crawl read only an index', { skip: ON_POSTGRES }, async () => {
  await using store = await openNewStore();
  const { db, queries } = recordQueries(store.knowledge.db);
  await createCrawlPageRepository(db).counts({ space_id: 'space', id: 'crawl', run: 1 });
  assert.equal(
    await plansOf(store.knowledge.db, queries),
    'SEARCH crawl_pages USING COVERING INDEX crawl_pages_counts (space_id=? AND crawl_id=?)',
  );
});
