import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place, Places } from './places.ts';

/** Places with a store of their own, as two replicas see them; a service that is one process gives the same twice. */
export interface PlacesUnderTest extends AsyncDisposable {
  readonly one: Places;
  readonly other: Places;
}

/** What places do, wherever they are kept. */
export function placesSuite(
  name: string,
  skip: string | false,
  open: () => Promise<PlacesUnderTest>,
): void {
  describe(`places kept ${name}`, { skip }, () => {
    let opened: PlacesUnderTest;
    before(async () => {
      opened = await open();
    });
    after(() => opened[Symbol.asyncDispose]());

    async function take(by: Places, ...places: Place[]): Promise<() => void> {
      const taking = await by.take(places);
      assert.ok(taking.taken, `${taking.taken || taking.full.key}`);
      return taking.leave;
    }
    async function refused(by: Places, ...places: Place[]): Promise<Place> {
      const taking = await by.take(places);
      assert.ok(!taking.taken);
      return taking.full;
    }
    /** A place that was left is free soon. */
    async function takeSoon(by: Places, ...places: Place[]): Promise<() => void> {
      for (let tries = 0; tries < 500; tries += 1) {
        const taking = await by.take(places);
        if (taking.taken) return taking.leave;
        await sleep(20);
      }
      assert.fail('no place became free');
    }

    test('so many are let in as there are places, and each that leaves makes room', async () => {
      const { one, other } = opened;
      const place = { key: 'two', most: 2 };
      const leave = await take(one, place);
      await take(other, place);
      assert.equal(await refused(one, place), place);
      assert.equal(await refused(other, place), place);
      leave();
      leave();
      await takeSoon(other, place);
      assert.equal(await refused(one, place), place);
    });

    test('who finds one of several full takes none of them', async () => {
      const { one, other } = opened;
      const [room, seat, cup] = [
        { key: 'room', most: 3 },
        { key: 'seat', most: 1 },
        { key: 'cup', most: 3 },
      ];
      const leave = await take(one, room, seat, cup);
      for (let n = 0; n < 5; n += 1) assert.equal(await refused(other, room, seat, cup), seat);
      const others = [await takeSoon(other, room, cup), await takeSoon(one, room, cup)];
      assert.equal(await refused(other, room), room);
      assert.equal(await refused(other, { key: 'another', most: 1 }, cup), cup);
      for (const each of [leave, ...others]) each();
      for (let n = 0; n < 3; n += 1) await takeSoon(n % 2 ? one : other, room, cup);
    });

    test('of many at the same moment as many are let in as there are places', async () => {
      const places = [
        { key: 'conversation', most: 4 },
        { key: 'person', most: 6 },
      ];
      const takings = await Promise.all(
        Array.from({ length: 30 }, (_, n) => (n % 2 ? opened.one : opened.other).take(places)),
      );
      assert.equal(takings.filter(({ taken }) => taken).length, 4);
    });

    test('a key may be any text', async () => {
      for (const key of ['', 'a b', "';--", '\u{1F600}', 'x'.repeat(100_000)])
        await take(opened.one, { key, most: 1 });
    });
  });
}
