import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Buckets } from './rate.rules.ts';

const NOW = 1_792_345_678_901;

test('a rate of 0 means no limit', () => {
  const buckets = new Buckets(0);
  buckets.take('a', 1e9, NOW);
  assert.equal(buckets.wait('a', NOW), 0);
});

test('allows a burst of the amount for one second and refills continuously', () => {
  const buckets = new Buckets(100);
  buckets.take('a', 99, NOW);
  assert.equal(buckets.wait('a', NOW), 0);
  buckets.take('a', 1, NOW);
  assert.equal(buckets.wait('a', NOW), 1);
  assert.equal(buckets.wait('a', NOW + 10), 0);
});

test('a request larger than the bucket passes and delays the next one', () => {
  const buckets = new Buckets(10);
  buckets.take('a', 100, NOW);
  assert.equal(buckets.wait('a', NOW), 9);
  assert.equal(buckets.wait('a', NOW + 8999), 1);
  assert.equal(buckets.wait('a', NOW + 9001), 0);
});

test('each key has its own bucket', () => {
  const buckets = new Buckets(10);
  buckets.take('a', 10, NOW);
  assert.equal(buckets.wait('b', NOW), 0);
  assert.equal(buckets.wait('a', NOW), 1);
});

test('admits at most the amount for the elapsed time plus one second, plus one request', () => {
  const step = fc.record({ pause: fc.nat(2000), amount: fc.integer({ min: 1, max: 50 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.array(step), (rate, steps) => {
      const buckets = new Buckets(rate);
      let now = NOW;
      let accepted = 0;
      for (const { pause, amount } of steps) {
        now += pause;
        if (buckets.wait('a', now) > 0) continue;
        buckets.take('a', amount, now);
        accepted += amount;
      }
      assert.ok(accepted <= rate * (1 + (now - NOW) / 1000) + 50 + 1e-6);
    }),
  );
});

test('accepts a request after the returned waiting time', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1, max: 10_000 }),
      (rate, amount) => {
        const buckets = new Buckets(rate);
        buckets.take('a', amount, NOW);
        const wait = buckets.wait('a', NOW);
        assert.equal(buckets.wait('a', NOW + wait * 1000 + 1), 0);
      },
    ),
  );
});
