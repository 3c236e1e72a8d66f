import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOAD, times, VALUES } from './assumptions.ts';
import { plan } from './model.ts';
import { fullestOf, normalQuantile, partsOf, SHARDS_OF_DATABASE } from './spread.ts';

test('one database and two replicas are enough for a load that one database bears', () => {
  const { databases, replicas, connections } = plan(LOAD, VALUES);
  assert.equal(databases, 1);
  assert.equal(replicas, 2);
  assert.equal(connections, 2 * VALUES.replicaConnections);
});

test('the more there is to do, the more servers it takes, and in proportion once there are many', () => {
  const servers = [1, 10, 100, 1000].map((factor) => plan(times(LOAD, factor), VALUES).databases);
  assert.deepEqual(
    servers,
    servers.toSorted((a, b) => a - b),
  );
  const [, , hundred = 0, thousand = 0] = servers;
  assert.ok(thousand / hundred > 8 && thousand / hundred < 12);
});

test('a plan keeps all means of the fullest database within what may be used of them', () => {
  for (const factor of [1, 10, 100, 1000]) {
    const { busyCores, log, kept, connections, largestSpace } = plan(times(LOAD, factor), VALUES);
    assert.ok(largestSpace < 1);
    assert.ok(busyCores <= VALUES.databaseCores * VALUES.databaseUse);
    assert.ok(log <= VALUES.databaseLogRate * VALUES.databaseUse);
    assert.ok(kept <= VALUES.databaseDisk * VALUES.databaseUse);
    assert.ok(connections <= VALUES.databaseConnections * VALUES.databaseUse);
  }
});

test('what is scarce is what fills a database first', () => {
  const load = times(LOAD, 10);
  assert.equal(plan(load, { ...VALUES, databaseCores: 0.5 }).bound, 'processor');
  assert.equal(plan(load, { ...VALUES, databaseLogRate: 5 }).bound, 'log');
  assert.equal(plan(load, { ...VALUES, databaseDisk: 1 }).bound, 'disk');
  assert.equal(plan(load, { ...VALUES, replicaListeners: 50 }).bound, 'connections');
});

test('a space that fills a database alone is said to, instead of being given ever more servers', () => {
  const { largestSpace } = plan({ ...times(LOAD, 1000), spaces: 3 }, VALUES);
  assert.ok(largestSpace > 1);
});

test('spaces have parts of the whole, unequal ones, and the simulation puts all of them somewhere', () => {
  const parts = partsOf(2000);
  assert.ok(Math.abs(parts.reduce((a, b) => a + b, 0) - 1) < 1e-9);
  const twentieth = parts.subarray(0, 100).reduce((a, b) => a + b, 0);
  assert.ok(twentieth > 0.4 && twentieth < 0.6);
  assert.equal(fullestOf(2000, 1).fullest.toFixed(6), '1.000000');
});

test('whole shards even databases out, as long as no space is larger than a database', () => {
  assert.ok(SHARDS_OF_DATABASE >= 16);
  assert.ok(fullestOf(20_000, 24).fullest < 1.1);
  const { fullest, largest } = fullestOf(20, 20);
  assert.ok(fullest >= largest * 20);
});

test('the quantile is that of the normal distribution', () => {
  for (const [p, z] of [
    [0.5, 0],
    [0.8413447, 1],
    [0.9772499, 2],
    [0.0227501, -2],
  ] as const)
    assert.ok(Math.abs(normalQuantile(p) - z) < 5e-4);
});
