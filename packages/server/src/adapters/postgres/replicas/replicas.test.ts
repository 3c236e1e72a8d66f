import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import type { Clock } from '../../../ports/clock.ts';
import { placesSuite } from '../../../ports/places.suite.ts';
import { rateCountsSuite } from '../../../ports/rate-counts.suite.ts';
import { newDatabase } from '../database.suite.ts';
import { openStore } from '../open-store.suite.ts';
import { openPool, type Pool } from '../pool.ts';
import { openShared } from './index.ts';

const skip = postgresIsMissing ?? false;

function fail(error: unknown): never {
  throw error;
}

/** Two replicas on one database. */
async function openTwo(clock: Clock = Date.now) {
  await using opened = new AsyncDisposableStack();
  const url = await newDatabase();
  await (await openStore(url))[Symbol.asyncDispose]();
  const open = async () => {
    const pool: Pool = opened.use(openPool({ url, connections: 4, onError: fail }));
    return { pool, shared: opened.use(await openShared(pool, clock, fail)) };
  };
  const [one, other] = [await open(), await open()];
  const all = opened.move();
  return { one, other, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

rateCountsSuite('on PostgreSQL', skip, async (clock) => {
  const { one, other, ...two } = await openTwo(clock);
  return { one: one.shared.rates, other: other.shared.rates, ...two };
});

placesSuite('on PostgreSQL', skip, async () => {
  const { one, other, ...two } = await openTwo();
  return { one: one.shared.places, other: other.shared.places, ...two };
});
