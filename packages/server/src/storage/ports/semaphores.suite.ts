import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Semaphore, Semaphores } from './shared.ts';

/** Semaphores with a store of their own, as two replicas see them; a service that is one process gives the same twice. */
export interface SemaphoresUnderTest extends AsyncDisposable {
  readonly one: Semaphores;
  readonly other: Semaphores;
}

/** What semaphores do, wherever they are kept. */
export function semaphoresSuite(
  name: string,
  skip: string | false,
  open: () => Promise<SemaphoresUnderTest>,
): void {
  describe(`semaphores kept ${name}`, { skip }, () => {
    let opened: SemaphoresUnderTest;
    before(async () => {
      opened = await open();
    });
    after(() => opened[Symbol.asyncDispose]());

    async function take(by: Semaphores, ...semaphores: Semaphore[]): Promise<() => void> {
      const taking = await by.acquire(semaphores);
      assert.ok(taking.acquired, `${taking.acquired || taking.full.key}`);
      return taking.release;
    }
    async function refused(by: Semaphores, ...semaphores: Semaphore[]): Promise<Semaphore> {
      const taking = await by.acquire(semaphores);
      assert.ok(!taking.acquired);
      return taking.full;
    }
    /** A semaphore that was left is free soon. */
    async function takeSoon(by: Semaphores, ...semaphores: Semaphore[]): Promise<() => void> {
      for (let tries = 0; tries < 500; tries += 1) {
        const taking = await by.acquire(semaphores);
        if (taking.acquired) return taking.release;
        await sleep(20);
      }
      assert.fail('no semaphore became free');
    }

    test('so many are let in as there are semaphores, and each that leaves makes room', async () => {
      const { one, other } = opened;
      const semaphore = { key: 'two', permits: 2 };
      const leave = await take(one, semaphore);
      await take(other, semaphore);
      assert.equal(await refused(one, semaphore), semaphore);
      assert.equal(await refused(other, semaphore), semaphore);
      leave();
      leave();
      await takeSoon(other, semaphore);
      assert.equal(await refused(one, semaphore), semaphore);
    });

    test('who finds one of several full takes none of them', async () => {
      const { one, other } = opened;
      const [room, seat, cup] = [
        { key: 'room', permits: 3 },
        { key: 'seat', permits: 1 },
        { key: 'cup', permits: 3 },
      ];
      const leave = await take(one, room, seat, cup);
      for (let n = 0; n < 5; n += 1) assert.equal(await refused(other, room, seat, cup), seat);
      const others = [await takeSoon(other, room, cup), await takeSoon(one, room, cup)];
      assert.equal(await refused(other, room), room);
      assert.equal(await refused(other, { key: 'another', permits: 1 }, cup), cup);
      for (const each of [leave, ...others]) each();
      for (let n = 0; n < 3; n += 1) await takeSoon(n % 2 ? one : other, room, cup);
    });

    test('of many at the same moment as many are let in as there are semaphores', async () => {
      const semaphores = [
        { key: 'conversation', permits: 4 },
        { key: 'person', permits: 6 },
      ];
      const takings = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          (n % 2 ? opened.one : opened.other).acquire(semaphores),
        ),
      );
      assert.equal(takings.filter(({ acquired }) => acquired).length, 4);
    });

    test('a key may be any text', async () => {
      for (const key of ['', 'a b', "';--", '\u{1F600}', 'x'.repeat(100_000)])
        await take(opened.one, { key, permits: 1 });
    });
  });
}
