import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Clock } from '../../lib/scheduling/clock.ts';
import type { Rate, RateCounts } from './shared.ts';

/** The rate counts of two replicas. In a single process, both are the same object. */
export interface RateCountsUnderTest extends AsyncDisposable {
  readonly one: RateCounts;
  readonly other: RateCounts;
}

const START = 1_792_345_678_901;
const WINDOW_MS = 60_000;

export function rateCountsSuite(
  name: string,
  skip: string | false,
  open: (clock: Clock) => Promise<RateCountsUnderTest>,
): void {
  describe(`rate counts ${name}`, { skip }, () => {
    let now = START;
    let opened: RateCountsUnderTest;
    before(async () => {
      opened = await open(() => now);
    });
    after(() => opened[Symbol.asyncDispose]());

    const rate = (key: string, max: number, limit = 'tries'): Rate => ({ limit, key, max });
    const inWindow = (tried: Rate, by = opened.one) => by.countInWindow(tried, WINDOW_MS);

    test('a window starts with its first operation and ends after its duration', async () => {
      const tried = rate('window', 2);
      assert.deepEqual(await inWindow(tried), { count: 1, endsInMs: WINDOW_MS });
      now += 20_000;
      assert.deepEqual(await inWindow(tried, opened.other), { count: 2, endsInMs: 40_000 });
      now += 39_999;
      for (const by of [opened.other, opened.one, opened.other]) {
        const { count, endsInMs } = await inWindow(tried, by);
        assert.ok(count > tried.max);
        assert.equal(endsInMs, 1);
      }
      now += 1;
      assert.deepEqual(await inWindow(tried, opened.other), { count: 1, endsInMs: WINDOW_MS });
      assert.equal((await inWindow(tried)).count, 2);
    });

    test('a window admits at most the maximum number of concurrent operations', async () => {
      const tried = rate('concurrent', 10);
      const counted = await Promise.all(
        Array.from({ length: 40 }, (_, n) => inWindow(tried, n % 2 ? opened.one : opened.other)),
      );
      assert.equal(counted.filter(({ count }) => count <= tried.max).length, tried.max);
    });

    test('each combination of limit and key has its own count, and a key can be any string', async () => {
      const keys = ['a', 'b', 'a b', '', "';--", 'é\u{1F600}', 'x'.repeat(100_000)];
      for (const limit of ['first', 'second'])
        for (const key of keys) assert.equal((await inWindow(rate(key, 1, limit))).count, 1);
    });

    test('setting the clock back by an hour does not extend a window', async () => {
      const tried = rate('clock', 1);
      for (let n = 0; n < 2; n += 1) await inWindow(tried);
      now -= 3_600_000;
      assert.deepEqual(await inWindow(tried), { count: 1, endsInMs: WINDOW_MS });
      now += 3_600_000;
    });

    test('the minute is a sliding window, and rejected operations do not count', async () => {
      const [person, link] = [rate('ada', 2, 'person'), rate('a', 3, 'link')];
      assert.equal(await opened.one.countInMinute([person, link]), null);
      now += 30_000;
      assert.equal(await opened.other.countInMinute([person, link]), null);
      now += 29_999;
      for (const by of [opened.one, opened.other, opened.one])
        assert.deepEqual(await by.countInMinute([person, link]), { rate: person, waitMs: 1 });
      assert.equal(await opened.one.countInMinute([rate('bob', 2, 'person'), link]), null);
      const eve = rate('eve', 2, 'person');
      for (const by of [opened.other, opened.one])
        assert.deepEqual(await by.countInMinute([eve, link]), { rate: link, waitMs: 1 });
      for (const by of [opened.one, opened.other])
        assert.equal(
          await by.countInMinute([eve, rate('b', 3, 'link')]),
          null,
          'a rejected operation counts against no rate',
        );
      now += 1;
      assert.equal(await opened.other.countInMinute([person, link]), null);
      const { waitMs } = (await opened.one.countInMinute([person, link])) ?? {};
      assert.equal(waitMs, 30_000);
    });

    test('a sliding minute admits exactly the maximum number of concurrent operations', async () => {
      const [person, link] = [rate('busy', 5, 'person'), rate('busy', 7, 'link')];
      const results = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          (n % 2 ? opened.one : opened.other).countInMinute([person, link]),
        ),
      );
      assert.equal(results.filter((exceeded) => exceeded === null).length, 5);
      assert.ok(results.every((exceeded) => exceeded === null || exceeded.rate.key === 'busy'));
    });
  });
}
