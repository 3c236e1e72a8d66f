import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

function drain(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test('takes items from all keys in turn', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item.slice(0, 1), item);
  assert.equal(queue.lengthOf('a'), 3);
  assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  assert.equal(queue.lengthOf('a'), 0);
});

test('an item of a new key is taken after one item of each other key', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item);
  assert.equal(queue.take(), 'a1');
  queue.add('b', 'b1');
  assert.deepEqual(drain(queue), ['a2', 'b1', 'a3']);
});

test('a removed item is not returned and not counted', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'b1', 'c1']) queue.add(item.slice(0, 1), item);
  assert.ok(queue.remove('a', 'a1'));
  assert.ok(queue.remove('b', 'b1'));
  assert.ok(!queue.remove('b', 'b1'));
  assert.ok(!queue.remove('c', 'a2'));
  assert.equal(queue.lengthOf('a'), 1);
  assert.deepEqual(drain(queue), ['a2', 'c1']);
});

test('takeAll returns all items', () => {
  const queue = new FairQueue<number>();
  queue.add('a', 1);
  queue.add('b', 2);
  assert.deepEqual(queue.takeAll(), [1, 2]);
  assert.equal(queue.take(), undefined);
});

test('isEmpty reports whether items are queued', () => {
  const queue = new FairQueue<string>();
  assert.ok(queue.isEmpty);
  queue.add('a', 'a1');
  assert.ok(!queue.isEmpty);
  queue.take();
  assert.ok(queue.isEmpty);
});
