import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpen, shownName } from './handoff.rules.ts';

const monday = (from: string, to: string) => ({
  openingHours: { timeZone: 'Europe/Berlin', periods: [{ day: 'monday' as const, from, to }] },
});
const at = (time: string) => Date.parse(time);

test('a period includes its start and excludes its end, in its time zone', () => {
  const hours = monday('09:00', '17:00');
  for (const [time, open] of [
    ['2026-01-05T07:59:59Z', false],
    ['2026-01-05T08:00:00Z', true],
    ['2026-01-05T15:59:59Z', true],
    ['2026-01-05T16:00:00Z', false],
    ['2026-01-06T10:00:00Z', false],
  ] as const)
    assert.equal(isOpen(hours, at(time)), open, time);
});

test('opening hours follow summer time', () => {
  const hours = monday('09:00', '17:00');
  assert.equal(isOpen(hours, at('2026-07-06T07:00:00Z')), true);
  assert.equal(isOpen(hours, at('2026-01-05T07:00:00Z')), false);
});

test('a period until 24:00 includes the last minute and the first minute of its day', () => {
  const hours = monday('00:00', '24:00');
  assert.equal(isOpen(hours, at('2026-01-05T22:59:59Z')), true);
  assert.equal(isOpen(hours, at('2026-01-05T23:00:00Z')), false);
  assert.equal(isOpen(hours, at('2026-01-04T23:00:00Z')), true);
});

test('a team without opening hours always answers', () => {
  assert.equal(isOpen({}, 0), true);
  assert.equal(isOpen({ openingHours: null }, 0), true);
});

test('the shown name is never an email address or empty', () => {
  assert.equal(shownName('Ada Lovelace'), 'Ada Lovelace');
  assert.equal(shownName('ada@shop.example'), 'ada');
  assert.equal(shownName(' '), 'Team');
  assert.equal(shownName('@shop'), 'Team');
});
