import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newDelivery } from '../deliveries/pending-delivery.ts';
import { RowChanges } from './row-changes.ts';

let made = 0;
function delivery() {
  made += 1;
  const text = JSON.stringify({ id: `${made}`, source: 'urn:a', type: 't' });
  return newDelivery({ position: made, receivedAt: 1, text });
}

test('successive batches add a delivery once, then change it, then remove it', () => {
  const changes = new RowChanges();
  const item = delivery();
  changes.upsert(item);
  changes.upsert(item);
  const first = changes.take();
  assert.deepEqual([first.added, first.changed, first.removed], [[item], [], []]);
  first.commit();
  assert.equal(item.row, 'stored');
  changes.upsert(item);
  const second = changes.take();
  assert.deepEqual([second.added, second.changed, second.removed], [[], [item], []]);
  changes.delete(item);
  const third = changes.take();
  assert.deepEqual([third.added, third.changed, third.removed], [[], [], [item.position]]);
  assert.ok(changes.isEmpty);
});

test('the next batch includes the changes of a rolled-back batch unless newer changes replace them', () => {
  const changes = new RowChanges();
  const [one, other] = [delivery(), delivery()];
  changes.upsert(one);
  changes.upsert(other);
  const first = changes.take();
  changes.delete(other);
  first.rollback();
  const second = changes.take();
  assert.deepEqual([second.added, second.removed], [[one], [other.position]]);
});

test('the next batch deletes a delivery that was deleted while its row was added', () => {
  const changes = new RowChanges();
  const item = delivery();
  changes.upsert(item);
  const first = changes.take();
  changes.delete(item);
  first.commit();
  const { added, changed, removed } = changes.take();
  assert.deepEqual([added, changed, removed], [[], [], [item.position]]);
});
