import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from './pace.ts';

test('pauses grow while the event loop is busy, stay where it is not too busy, and end when it is calm', () => {
  let now = 0;
  let utilization = 0.3;
  const pace = new Pace(
    () => utilization,
    () => now,
  );
  const pauses = (busy: number, looks: number) => {
    utilization = busy;
    return Array.from({ length: looks }, () => {
      now += 250;
      return pace.pauseMs;
    });
  };
  assert.deepEqual(pauses(0.3, 2), [0, 0]);
  assert.deepEqual(pauses(0.9, 5), [50, 100, 200, 400, 400]);
  assert.deepEqual(pauses(0.7, 2), [400, 400]);
  assert.deepEqual(pauses(0.5, 5), [200, 100, 50, 0, 0]);
});

test('what happened within a quarter of a second is judged as one', () => {
  let now = 0;
  let asked = 0;
  const pace = new Pace(
    () => {
      asked += 1;
      return 1;
    },
    () => now,
  );
  for (; now < 1000; now += 10) pace.pauseMs;
  assert.equal(asked, 3);
});
