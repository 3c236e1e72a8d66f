import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dateTimeProblem } from './time.rules.ts';

const good = [
  '2026-03-04T05:06:07Z',
  '2026-03-04t05:06:07z',
  '2026-03-04T05:06:07.1Z',
  '2026-03-04T05:06:07.123456789012345678901234567890+01:00',
  '2026-03-04T05:06:07-00:00',
  '2026-03-04T05:06:07+23:59',
  '2026-03-04T05:06:07-23:59',
  '0000-02-29T00:00:00Z',
  '2024-02-29T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '1990-12-31T23:59:60Z',
  '1990-12-31T15:59:60-08:00',
  '2017-01-01T00:59:60.5+01:00',
  '2016-07-01T08:59:60+09:00',
  '1972-06-30T23:59:60Z',
];

for (const time of good) {
  test(`accepts the timestamp ${time}`, () => assert.equal(dateTimeProblem(time), null));
}

const bad: readonly (readonly [string, RegExp])[] = [
  ['', /RFC 3339/],
  ['lunchtime', /RFC 3339/],
  ['2018-04-05T18:31Z', /RFC 3339/],
  ['2018-04-05T18:31:00', /RFC 3339/],
  ['2018-04-05T18:31:00X', /RFC 3339/],
  ['2018-04-05 18:31:00Z', /RFC 3339/],
  ['2018-04-05T18:31:00+05', /RFC 3339/],
  ['2018-04-05T18:31:00+0500', /RFC 3339/],
  ['2018-04-05T18:31:00+xx:00', /RFC 3339/],
  ['2018-04-05T18:31:00.Z', /RFC 3339/],
  ['2018-04-05T18:31:00,5Z', /RFC 3339/],
  ['2018-04-05T18:31:00.5 Z', /RFC 3339/],
  ['2018-04-05T18:31:00Z\n', /RFC 3339/],
  ['+2018-04-05T18:31:00Z', /RFC 3339/],
  ['20180405T183100Z', /RFC 3339/],
  ['２018-04-05T18:31:00Z', /RFC 3339/],
  ['2018-04-05T18:31:00−01:00', /RFC 3339/],
  ['Z', /RFC 3339/],
  ['+01:00', /RFC 3339/],
  ['2018-13-05T18:31:00Z', /month/],
  ['2018-00-05T18:31:00Z', /month/],
  ['2023-02-29T18:31:00Z', /2023-02 has 28 days/],
  ['2018-04-31T18:31:00Z', /has 30 days/],
  ['2018-04-05T24:00:00Z', /hour/],
  ['2018-04-05T23:60:00Z', /minute/],
  ['2018-04-05T23:59:61Z', /second/],
  ['2018-04-05T23:59:60Z', /end of a month/],
  ['2018-04-30T23:58:60Z', /end of a month/],
  ['2018-12-31T23:59:60+01:00', /end of a month/],
  ['2018-04-05T18:31:00+25:00', /offset/],
  ['2018-04-05T18:31:00+24:00', /offset/],
  ['2018-04-05T18:31:00-01:60', /offset/],
];

for (const [time, problem] of bad) {
  test(`rejects the timestamp ${JSON.stringify(time)}`, () =>
    assert.match(dateTimeProblem(time) ?? '', problem));
}

test('accepts every JavaScript date with every UTC offset', () => {
  const moments = fc.date({ min: new Date(0), max: new Date('9998-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(moments, fc.integer({ min: -1439, max: 1439 }), (moment, offset) => {
      const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const pad = (value: number) => String(value).padStart(2, '0');
      const size = Math.abs(offset);
      const zone = `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
      if (local.startsWith('-') || local.startsWith('+')) return;
      assert.equal(dateTimeProblem(local + zone), null, local + zone);
      assert.equal(new Date(local + zone).getTime(), moment.getTime());
    }),
  );
});
