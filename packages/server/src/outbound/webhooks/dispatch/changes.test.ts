import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newDelivery } from '../deliveries/pending.ts';
import { Changes } from './changes.ts';

let made = 0;
function delivery() {
  made += 1;
  const facts = { receivedAt: 1, eventId: `${made}`, source: 'urn:a', type: 't', subject: null };
  return newDelivery({ ...facts, position: made, bytes: 2 }, '{}');
}

test('a delivery is added once, changed from then on, and removed', () => {
  const changes = new Changes();
  const item = delivery();
  changes.save(item);
  changes.save(item);
  const first = changes.take();
  assert.deepEqual([first.added, first.changed, first.removed], [[item], [], []]);
  assert.deepEqual(first.written(), [item]);
  changes.save(item);
  const second = changes.take();
  assert.deepEqual([second.added, second.changed, second.removed], [[], [item], []]);
  changes.remove(item);
  const third = changes.take();
  assert.deepEqual([third.added, third.changed, third.removed], [[], [], [item.position]]);
  assert.ok(changes.isEmpty);
});

test('what failed to be written is written the next time, unless something newer is', () => {
  const changes = new Changes();
  const [one, other] = [delivery(), delivery()];
  changes.save(one);
  changes.save(other);
  const first = changes.take();
  changes.remove(other);
  first.failed();
  const second = changes.take();
  assert.deepEqual([second.added, second.removed], [[one], [other.position]]);
});

test('what is removed while it is being added is removed after that', () => {
  const changes = new Changes();
  const item = delivery();
  changes.save(item);
  const first = changes.take();
  changes.remove(item);
  first.written();
  const { added, changed, removed } = changes.take();
  assert.deepEqual([added, changed, removed], [[], [], [item.position]]);
});
