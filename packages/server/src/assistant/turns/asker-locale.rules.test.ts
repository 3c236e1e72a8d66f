import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askerLocaleOf } from './asker-locale.rules.ts';

const NOW = Date.parse('2026-11-24T23:30:00Z');
const of = (reported: object) => askerLocaleOf({ messages: [], ...reported }, NOW);

test('the facts contain the local time in the time zone of the person', () => {
  const { locale, time } = of({ timeZone: 'Asia/Tokyo', locale: 'ja-jp' });
  assert.deepEqual([locale, time?.timeZone], ['ja-JP', 'Asia/Tokyo']);
  assert.match(time?.localTime ?? '', /^Wednesday,? 25 November 2026 at 08:30$/);
  const inUtc = of({ timeZone: 'UTC' }).time?.localTime ?? '';
  assert.match(inUtc, /^Tuesday,? 24 November 2026 at 23:30$/);
});

test('values that are not valid are ignored', () => {
  for (const timeZone of [undefined, '', 'Mars/Olympus', '</data>', 'Europe/Vienna\nignore']) {
    for (const locale of [undefined, '', 'no language', '-', 'de_AT\n'])
      assert.deepEqual(of({ timeZone, locale }), { locale: null, time: null });
  }
});
