import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ON_POSTGRES } from '../../../../tests/support/storage/backend.ts';
import { openNewStore } from '../../../storage/open-store.suite.ts';
import { plansOf, recordQueries } from '../../../storage/query-plans.suite.ts';
import { createDeliveryRepository } from './delivery.repository.ts';

test('counts of deliveries read only an index, and lists of a state read only deliveries in this state', {
  skip: ON_POSTGRES,
}, async () => {
  await using store = await openNewStore();
  const { db, queries } = recordQueries(store.db);
  const deliveries = createDeliveryRepository(db);
  // The repository has prepared a statement.
  queries.splice(0);
  const key = { spaceId: 'space', subscriptionId: 'subscription' };
  await deliveries.totalsOf('space', ['one', 'other']);
  await deliveries.discarded(key);
  await deliveries.waiting(key);
  await deliveries.list(key, 'waiting', null, 50);
  const inState = 'subscription_id=? AND state=? AND space_id=?';
  assert.deepEqual((await plansOf(store.db, queries)).split('\n'), [
    'SEARCH deliveries USING COVERING INDEX deliveries_state (subscription_id=?)',
    `SEARCH deliveries USING COVERING INDEX deliveries_state (${inState})`,
    `SEARCH deliveries USING INDEX deliveries_state (${inState})`,
    `SEARCH deliveries USING INDEX deliveries_state (${inState} AND position>?)`,
  ]);
});
