import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import { ThrottledSignal } from './chat.ts';

test('a throttled signal applies the first update immediately and delays later ones', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const target = signal('');
  const throttled = new ThrottledSignal(target);
  const values: string[] = [];
  target.subscribe((value) => void values.push(value));
  for (const letter of ['a', 'b', 'c']) throttled.update((text) => text + letter);
  assert.deepEqual(values, ['', 'a']);
  t.mock.timers.tick(50);
  assert.deepEqual(values, ['', 'a', 'abc']);
  throttled.update((text) => `${text}d`);
  assert.equal(target.value, 'abcd');
});

test('flushing a throttled signal applies a pending update immediately', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const target = signal(0);
  const throttled = new ThrottledSignal(target);
  throttled.update(() => 1);
  throttled.update(() => 2);
  throttled.flush();
  assert.equal(target.value, 2);
  t.mock.timers.tick(50);
  assert.equal(target.value, 2);
});
