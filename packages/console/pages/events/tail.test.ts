import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tail } from './tail.ts';

function add(tail: Tail, from: number, to: number): void {
  for (let number = from; number < to; number += 1)
    tail.add({
      event: { specversion: '1.0', id: String(number), source: 'urn:test', type: 'test' },
      receivedAt: '2026-10-18T09:30:00.000Z',
    });
}

const idsOf = (tail: Tail) => tail.tick().rows.map(({ event }) => event.id);

test('shows each event of a slow stream, newest first', () => {
  const tail = new Tail();
  add(tail, 0, 3);
  assert.deepEqual(idsOf(tail), ['2', '1', '0']);
  add(tail, 3, 4);
  const { rows, perSecond, shownPerSecond } = tail.tick();
  assert.deepEqual(
    rows.map(({ event }) => event.id),
    ['3', '2', '1', '0'],
  );
  assert.equal(perSecond, shownPerSecond);
});

test('samples a fast stream, reports both rates, and keeps a bounded number of rows', () => {
  const tail = new Tail();
  for (let tick = 0; tick < 50; tick += 1) {
    add(tail, tick * 1000, (tick + 1) * 1000);
    const { rows, perSecond, shownPerSecond } = tail.tick();
    assert.equal(rows[0]?.event.id, String(tick * 1000 + 999));
    assert.ok(rows.length <= 100);
    if (tick > 0) assert.deepEqual([perSecond, shownPerSecond], [2000, 20]);
  }
});

test('does not change the list during a pause, and counts the events', () => {
  const tail = new Tail();
  add(tail, 0, 2);
  tail.tick();
  tail.setPaused(true);
  add(tail, 2, 40);
  const { rows, missed } = tail.tick();
  assert.equal(rows.length, 2);
  assert.equal(missed, 38);
  tail.setPaused(false);
  add(tail, 40, 41);
  assert.deepEqual(idsOf(tail), ['40', '1', '0']);
});
