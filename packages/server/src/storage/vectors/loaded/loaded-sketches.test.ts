import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../../../tests/support/seeded.ts';
import { LoadedSpaces, type ScopeDocuments } from '../../in-memory/index.ts';
import { scaled } from '../quantise.ts';
import { sketchOf } from '../sketches/sketch.ts';
import { LoadedSketches } from './loaded-sketches.ts';
import type { SketchReads, StoredSketches } from './reads.ts';

const KIND = { model: 'small', dimensions: 128 };
const random = seeded(66);
const someVector = () => Float32Array.from({ length: KIND.dimensions }, () => random.next() - 0.5);

/** Sketches of documents by number, as a store would return them. */
class Stored extends Map<number, readonly StoredSketches[]> {
  reads: SketchReads = {
    documents: (_, after) =>
      [...this]
        .filter(([number]) => number > after)
        .sort(([a], [b]) => a - b)
        .map(([number, rows]) => ({ number, rows })),
    sketchesOf: (_, numbers) => numbers.map((number) => ({ number, rows: this.get(number) ?? [] })),
    vectorsOf: () => [],
  };

  addDocument(number: number, passages: number): void {
    const sketches = Buffer.concat(
      Array.from({ length: passages }, () => sketchOf(scaled(someVector()))),
    );
    this.set(number, [{ first: 0, sketches }]);
  }
}

function permitted(stored: Stored, isPermitted: (number: number) => boolean): ScopeDocuments {
  return {
    key: isPermitted.toString(),
    candidates: () => [...stored.keys()].filter(isPermitted),
    isExact: true,
    documentsAmong: (numbers) =>
      numbers.filter((number) => stored.has(number) && isPermitted(number)),
  };
}

/** Returns all passages that a search finds, as `number/position`. */
async function find(space: LoadedSketches, documents: ScopeDocuments): Promise<string[]> {
  const query = scaled(someVector());
  const near = await space.nearest(documents, query, 100_000, { isOver: false });
  return (near ?? assert.fail()).map(({ number, position }) => `${number}/${position}`).toSorted();
}

/** Returns the number of steps. */
async function load(space: LoadedSketches, { reads }: Stored): Promise<number> {
  for (let steps = 1; ; steps += 1) if (await space.update(reads, { isOver: true })) return steps;
}

const all = () => true;
const even = (number: number) => number % 2 === 0;

function passagesOf(stored: Stored, isPermitted: (number: number) => boolean): string[] {
  const length = KIND.dimensions / 8;
  return [...stored]
    .filter(([number]) => isPermitted(number))
    .flatMap(([number, rows]) =>
      rows.flatMap(({ first, sketches }) =>
        Array.from({ length: sketches.length / length }, (_, at) => `${number}/${first + at}`),
      ),
    )
    .toSorted();
}

test('a space that is loaded in several steps contains all documents', async () => {
  const stored = new Stored();
  for (let number = 1; number <= 50; number += 1) stored.addDocument(number, 1 + (number % 32));
  const space = new LoadedSketches(KIND);
  assert.ok((await load(space, stored)) > 1);
  assert.deepEqual(await find(space, permitted(stored, all)), passagesOf(stored, all));
  assert.deepEqual(await find(space, permitted(stored, even)), passagesOf(stored, even));
});

test('cached scopes follow documents that are added, changed and removed', async () => {
  const stored = new Stored();
  const space = new LoadedSketches(KIND);
  const allowed = new Set<number>();
  const documents = permitted(stored, (number) => allowed.has(number));
  await load(space, stored);
  for (let step = 0; step < 300; step += 1) {
    const number = 1 + random.below(30);
    const change = random.pick(['add', 'remove', 'allow', 'deny']);
    if (change === 'add') stored.addDocument(number, 1 + random.below(5));
    else if (change === 'remove') stored.delete(number);
    else if (change === 'allow') allowed.add(number);
    else allowed.delete(number);
    space.change({ spaceId: 'space', number, reindexed: false });
    await load(space, stored);
    const isAllowed = (one: number) => allowed.has(one);
    assert.deepEqual(await find(space, documents), passagesOf(stored, isAllowed));
  }
});

test('the memory of deleted documents is released', async () => {
  const stored = new Stored();
  const space = new LoadedSketches(KIND);
  await load(space, stored);
  const rowBytes = 512 * (KIND.dimensions / 8);
  const rows = 40;
  let most = 0;
  for (let step = 1; step <= 60; step += 1) {
    const sketches = Buffer.alloc(rowBytes, step);
    stored.set(
      1,
      Array.from({ length: rows }, (_, row) => ({ first: 512 * row, sketches })),
    );
    space.change({ spaceId: 'space', number: 1, reindexed: false });
    await load(space, stored);
    most = Math.max(most, space.byteLength);
  }
  assert.ok(most < 45 * rows * rowBytes, `${most}`);
  assert.equal((await find(space, permitted(stored, all))).length, 512 * rows);
});

test('a space is loaded again for another model', () => {
  const spaces = new LoadedSpaces<LoadedSketches>();
  const first = LoadedSketches.in(spaces, 'space', KIND);
  assert.equal(LoadedSketches.in(spaces, 'space', { ...KIND }), first);
  const other = LoadedSketches.in(spaces, 'space', { ...KIND, model: 'large' });
  assert.notEqual(other, first);
  assert.notEqual(LoadedSketches.in(spaces, 'space', { ...KIND, dimensions: 64 }), other);
});
