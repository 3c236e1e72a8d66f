import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from './pace.ts';

test('pauses grow while the event loop is busy, stay the same under medium load, and shrink while it is idle', () => {
  let now = 0;
  let utilization = 0.3;
  const pace = new Pace(
    () => utilization,
    () => now,
  );
  const pauses = (busy: number, samples: number) => {
    utilization = busy;
    return Array.from({ length: samples }, () => {
      now += 250;
      return pace.pauseMs;
    });
  };
  assert.deepEqual(pauses(0.3, 2), [0, 0]);
  assert.deepEqual(pauses(0.9, 5), [50, 100, 200, 400, 400]);
  assert.deepEqual(pauses(0.7, 2), [400, 400]);
  assert.deepEqual(pauses(0.5, 5), [200, 100, 50, 0, 0]);
});

test('the utilization of the event loop is sampled at most once per 250 milliseconds', () => {
  let now = 0;
  let samples = 0;
  const pace = new Pace(
    () => {
      samples += 1;
      return 1;
    },
    () => now,
  );
  for (; now < 1000; now += 10) pace.pauseMs;
  assert.equal(samples, 3);
});
