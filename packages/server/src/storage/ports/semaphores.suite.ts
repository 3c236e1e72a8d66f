import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Semaphore, Semaphores } from './shared.ts';

/** Semaphores as two replicas see them. In a single process, both are the same object. */
export interface SemaphoresUnderTest extends AsyncDisposable {
  readonly one: Semaphores;
  readonly other: Semaphores;
}

export function semaphoresSuite(
  name: string,
  skip: string | false,
  open: () => Promise<SemaphoresUnderTest>,
): void {
  describe(`semaphores ${name}`, { skip }, () => {
    let opened: SemaphoresUnderTest;
    before(async () => {
      opened = await open();
    });
    after(() => opened[Symbol.asyncDispose]());

    async function acquire(by: Semaphores, ...semaphores: Semaphore[]): Promise<() => void> {
      const acquisition = await by.acquire(semaphores);
      assert.ok(acquisition.acquired, `${acquisition.acquired || acquisition.full.key}`);
      return acquisition.release;
    }
    async function rejected(by: Semaphores, ...semaphores: Semaphore[]): Promise<Semaphore> {
      const acquisition = await by.acquire(semaphores);
      assert.ok(!acquisition.acquired);
      return acquisition.full;
    }
    /** Retries for ten seconds, because a release takes effect in the background. */
    async function acquireSoon(by: Semaphores, ...semaphores: Semaphore[]): Promise<() => void> {
      for (let tries = 0; tries < 500; tries += 1) {
        const acquisition = await by.acquire(semaphores);
        if (acquisition.acquired) return acquisition.release;
        await sleep(20);
      }
      assert.fail('the semaphores did not become free');
    }

    test('a semaphore admits as many holders as it has permits, and a release frees one permit', async () => {
      const { one, other } = opened;
      const semaphore = { key: 'two', permits: 2 };
      const release = await acquire(one, semaphore);
      await acquire(other, semaphore);
      assert.equal(await rejected(one, semaphore), semaphore);
      assert.equal(await rejected(other, semaphore), semaphore);
      release();
      release();
      await acquireSoon(other, semaphore);
      assert.equal(await rejected(one, semaphore), semaphore);
    });

    test('acquires none of several semaphores if one is full', async () => {
      const { one, other } = opened;
      const [room, seat, cup] = [
        { key: 'room', permits: 3 },
        { key: 'seat', permits: 1 },
        { key: 'cup', permits: 3 },
      ];
      const release = await acquire(one, room, seat, cup);
      for (let n = 0; n < 5; n += 1) assert.equal(await rejected(other, room, seat, cup), seat);
      const others = [await acquireSoon(other, room, cup), await acquireSoon(one, room, cup)];
      assert.equal(await rejected(other, room), room);
      assert.equal(await rejected(other, { key: 'another', permits: 1 }, cup), cup);
      for (const each of [release, ...others]) each();
      for (let n = 0; n < 3; n += 1) await acquireSoon(n % 2 ? one : other, room, cup);
    });

    test('several semaphores admit exactly as many concurrent holders as the smallest number of permits', async () => {
      const semaphores = [
        { key: 'conversation', permits: 4 },
        { key: 'person', permits: 6 },
      ];
      const acquisitions = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          (n % 2 ? opened.one : opened.other).acquire(semaphores),
        ),
      );
      assert.equal(acquisitions.filter(({ acquired }) => acquired).length, 4);
    });

    test('a key can be any string', async () => {
      for (const key of ['', 'a b', "';--", '\u{1F600}', 'x'.repeat(100_000)])
        await acquire(opened.one, { key, permits: 1 });
    });
  });
}
