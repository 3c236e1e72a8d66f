import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOAD, times, VALUES } from './assumptions.ts';
import { plan } from './model.ts';
import { fullestOf, normalQuantile, partsOf, SHARDS_OF_DATABASE } from './spread.ts';

test('the plan has one database and two replicas for a load that one database can handle', () => {
  const { databases, replicas, connections } = plan(LOAD, VALUES);
  assert.equal(databases, 1);
  assert.equal(replicas, 2);
  assert.equal(connections, 2 * VALUES.replicaConnections);
});

test('for a large load, the number of databases is proportional to the load', () => {
  const servers = [1, 10, 25, 250].map((factor) => plan(times(LOAD, factor), VALUES).databases);
  assert.deepEqual(
    servers,
    servers.toSorted((a, b) => a - b),
  );
  const [, , large = 0, tenfold = 0] = servers;
  assert.ok(tenfold / large > 8 && tenfold / large < 12);
});

test('no plan exceeds a limit of the database with the most load', () => {
  for (const factor of [1, 10, 100]) {
    const { busyCores, log, kept, connections, largestSpace } = plan(times(LOAD, factor), VALUES);
    assert.ok(largestSpace < 1);
    assert.ok(busyCores <= VALUES.databaseCores * VALUES.databaseUse);
    assert.ok(log <= VALUES.databaseLogRate * VALUES.databaseUse);
    assert.ok(kept <= VALUES.databaseDisk * VALUES.databaseUse);
    assert.ok(connections <= VALUES.databaseConnections * VALUES.databaseUse);
  }
});

test('the plan reports the scarcest resource as the bottleneck', () => {
  const load = times(LOAD, 10);
  assert.equal(plan(load, { ...VALUES, databaseCores: 0.5 }).bound, 'processor');
  assert.equal(plan(load, { ...VALUES, databaseLogRate: 5 }).bound, 'log');
  assert.equal(plan(load, { ...VALUES, databaseDisk: 1 }).bound, 'disk');
  assert.equal(plan(load, { ...VALUES, replicaListeners: 50 }).bound, 'connections');
});

test('the plan reports that a space is too large for one database instead of adding servers', () => {
  const { largestSpace } = plan({ ...times(LOAD, 100), spaces: 3 }, VALUES);
  assert.ok(largestSpace > 1);
});

test('5 % of the spaces have about half of the load, and every space is placed on a database', () => {
  const parts = partsOf(2000);
  assert.ok(Math.abs(parts.reduce((a, b) => a + b, 0) - 1) < 1e-9);
  const twentieth = parts.subarray(0, 100).reduce((a, b) => a + b, 0);
  assert.ok(twentieth > 0.4 && twentieth < 0.6);
  assert.equal(fullestOf(2000, 1).fullest.toFixed(6), '1.000000');
});

test('moving shards balances the databases unless a single space is too large for that', () => {
  assert.ok(SHARDS_OF_DATABASE >= 16);
  assert.ok(fullestOf(20_000, 24).fullest < 1.1);
  const { fullest, largest } = fullestOf(20, 20);
  assert.ok(fullest >= largest * 20);
});

test('normalQuantile returns quantiles of the normal distribution', () => {
  for (const [p, z] of [
    [0.5, 0],
    [0.8413447, 1],
    [0.9772499, 2],
    [0.0227501, -2],
  ] as const)
    assert.ok(Math.abs(normalQuantile(p) - z) < 5e-4);
});
