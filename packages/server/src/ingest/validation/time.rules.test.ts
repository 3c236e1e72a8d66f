import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { timeProblem } from './time.rules.ts';

const good = [
  '2026-03-04T05:06:07Z',
  '2026-03-04T05:06Z',
  '2026-03-04T05:06:07.1Z',
  '2026-03-04T05:06:07.123456789Z',
  `2026-03-04T05:06:07.${'0'.repeat(100)}Z`,
  '2026-03-04T00:00:00Z',
  '2026-12-31T23:59:59.999Z',
  '2024-02-29T00:00Z',
  '2000-02-29T00:00Z',
  '0000-02-29T00:00Z',
  '9999-12-31T23:59:59Z',
  '2026-04-30T00:00Z',
];

for (const time of good) {
  test(`accepts the time ${time.slice(0, 40)}`, () => assert.equal(timeProblem(time), null));
}

const bad: readonly (readonly [string, RegExp])[] = [
  ['2023-02-29T00:00:00Z', /2023-02 has 28 days/],
  ['1900-02-29T00:00:00Z', /1900-02 has 28 days/],
  ['2100-02-29T00:00:00Z', /2100-02 has 28 days/],
  ['2024-02-30T00:00:00Z', /2024-02 has 29 days/],
  ['2026-04-31T00:00:00Z', /2026-04 has 30 days/],
  ['2026-01-32T00:00:00Z', /2026-01 has 31 days/],
  ['2026-01-00T00:00:00Z', /date that exists/],
  ['2026-00-01T00:00:00Z', /month from 01 to 12/],
  ['2026-13-01T00:00:00Z', /month from 01 to 12/],
  ['2026-03-04T24:00:00Z', /hour from 00 to 23/],
  ['2026-03-04T24:00Z', /hour from 00 to 23/],
  ['2026-03-04T05:60:07Z', /minute from 00 to 59/],
  ['2026-06-30T23:59:60Z', /leap second/],
  ['2026-03-04T05:06:61Z', /second from 00 to 59/],
  ['2026-03-04T05:06:07+02:00', /in UTC and end with Z, such as 2026-03-04T05:06:07Z; convert it/],
  ['2026-03-04T05:06:07+00:00', /in UTC and end with Z, such as 2026-03-04T05:06:07Z; convert it/],
  ['2026-03-04T05:06:07-0800', /in UTC and end with Z, such as 2026-03-04T05:06:07Z; convert it/],
  ['2026-03-04T05:06+02', /in UTC and end with Z, such as 2026-03-04T05:06:07Z; convert it/],
  ['2026-03-04T05:06:07', /must end with Z, for UTC/],
  ['2026-03-04t05:06:07Z', /capital T and Z/],
  ['2026-03-04T05:06:07z', /capital T and Z/],
  ['2026-03-04T05Z', /UTC time such as/],
  ['2026-03-04T05:06:Z', /UTC time such as/],
  ['2026-03-04T05:06:7Z', /UTC time such as/],
  ['2026-03-04T05:06:07.Z', /UTC time such as/],
  ['2026-03-04T05:06:07,5Z', /UTC time such as/],
  ['2026-03-04T05:06.5Z', /UTC time such as/],
  ['2026-03-04T05:06:07.5xZ', /UTC time such as/],
  ['2026-03-04 05:06:07Z', /UTC time such as/],
  ['2026-3-4T05:06:07Z', /UTC time such as/],
  ['+02026-03-04T05:06:07Z', /UTC time such as/],
  ['-2026-03-04T05:06:07Z', /UTC time such as/],
  ['20260304T050607Z', /UTC time such as/],
  ['2026-W10-3T05:06:07Z', /UTC time such as/],
  ['2026-03-04', /UTC time such as/],
  [' 2026-03-04T05:06:07Z', /UTC time such as/],
  ['2026-03-04T05:06:07Z ', /UTC time such as/],
  ['2026-03-04T05:06:07Z\n', /UTC time such as/],
  ['２026-03-04T05:06:07Z', /UTC time such as/],
  ['yesterday', /UTC time such as/],
  ['', /UTC time such as/],
  ['T'.repeat(100_000), /UTC time such as/],
];

for (const [time, problem] of bad) {
  test(`rejects the time ${JSON.stringify(time.slice(0, 40))}`, () => {
    assert.match(timeProblem(time) ?? 'nothing is wrong', problem);
  });
}

test('accepts every JavaScript date in ISO format', () => {
  const moment = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  });
  fc.assert(fc.property(moment, (date) => assert.equal(timeProblem(date.toISOString()), null)));
});

test('accepts a time if and only if its date exists', () => {
  const part = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(part(9999), part(14), part(33), (year, month, day) => {
      const pad = (value: number, length: number) => String(value).padStart(length, '0');
      const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T00:00:00.000Z`;
      const parsed = new Date(text);
      const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString() === text;
      assert.equal(timeProblem(text) === null, exists, text);
    }),
    { numRuns: roundsOf(400, 2000) },
  );
});
