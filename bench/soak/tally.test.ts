import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SentEvents, Tally } from './tally.ts';

test('finds acknowledged events that are missing or repeated, and ignores events without an acknowledgement', () => {
  const sent = new SentEvents();
  const ids = ['paid', 'seen', 'paid', 'seen'].map((type) => sent.next(type));
  sent.acknowledge(ids.slice(0, 3));
  const tally = new Tally();
  for (const id of ['1', '1', 'a-conversation']) tally.add(id);
  assert.deepEqual([sent.missing(tally), sent.missing(tally, 'paid')], [2, 2]);
  assert.equal(sent.repeated(tally), 1);
  for (const id of ['0', '2']) tally.add(id);
  assert.equal(sent.missing(tally), 0);
});

test('counts events with large numbers', () => {
  const tally = new Tally();
  tally.add('1000000');
  assert.deepEqual([tally.count(1_000_000), tally.count(999_999)], [1, 0]);
});
