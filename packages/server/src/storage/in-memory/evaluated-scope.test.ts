import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { seeded } from '../../../tests/support/seeded.ts';
import { StorageTooSlow } from '../../lib/threads/index.ts';
import { passagesOf } from '../full-text/ranking/index.ts';
import { encodeTermVectors, TermIndex } from '../full-text/terms/index.ts';
import { EvaluatedScope } from './evaluated-scope.ts';

const random = seeded(SEED);
const ROUNDS = roundsOf(25, 5000);

function passages(count: number): Uint8Array[] {
  const one = { title: '', heading: '', body: 'amber' };
  return count === 0 ? [] : [encodeTermVectors(Array.from({ length: count }, () => one))];
}

/** A space whose documents change while a scope is evaluated. */
class ChangingSpace {
  readonly index = new TermIndex();
  /** Slots of changed documents. */
  readonly changed: number[] = [];
  readonly live = new Set<number>();
  readonly accepted = new Set<number>();
  #last = 0;

  add(): number {
    const number = ++this.#last;
    this.live.add(number);
    if (random.next() < 0.5) this.accepted.add(number);
    return this.index.add(number, passages(random.below(4)));
  }

  change(): void {
    const number = 1 + random.below(this.#last);
    const slot = this.index.slotOf(number);
    if (random.next() < 0.3) this.changed.push(this.add());
    else if (slot !== null) {
      this.changed.push(slot);
      const kind = random.pick(['metadata', 'deleted', 'indexed again'] as const);
      if (kind === 'metadata') {
        if (!this.accepted.delete(number)) this.accepted.add(number);
        return;
      }
      this.index.delete(number);
      if (kind === 'deleted') this.live.delete(number);
      else this.changed.push(this.index.add(number, passages(random.below(4))));
    }
  }

  /** Returns the documents of the scope, and possibly others. */
  candidates(): number[] {
    return [...this.live].filter((number) => this.accepted.has(number) || random.next() < 0.7);
  }

  /** Returns the numbers of the visible passages. */
  expected(): number[] {
    const ordinals: number[] = [];
    for (const number of this.live) {
      const slot = this.index.slotOf(number);
      if (slot === null || !this.accepted.has(number)) continue;
      const { first, end } = this.index.document(slot);
      for (let ordinal = first; ordinal < end; ordinal += 1) ordinals.push(ordinal);
    }
    return ordinals.toSorted((a, b) => a - b);
  }
}

function ordinalsOf({ bits }: { readonly bits: Uint32Array }, size: number): number[] {
  const ordinals = Array.from({ length: size }, (_, ordinal) => ordinal);
  return ordinals.filter((at) => (((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1);
}

test(`an evaluation in steps returns the scope of the last step (seed ${SEED})`, async () => {
  let steps = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const space = new ChangingSpace();
    for (let count = random.below(300); count >= 0; count -= 1) space.add();
    const visible = passagesOf(space.index, space.candidates());
    const scope = new EvaluatedScope(space.index, visible, false, space.changed.length);
    const reads = {
      documentsAmong: (numbers: readonly number[]) =>
        numbers.filter((number) => space.live.has(number) && space.accepted.has(number)),
    };
    for (let use = 0; use < 3; use += 1) {
      // Each call tests exactly one batch of documents, because the time of the step has already passed.
      while (!(await scope.advance(space.changed, reads, { isOver: true }))) {
        steps += 1;
        for (let count = random.below(4); count > 0; count -= 1) space.change();
      }
      const expected = space.expected();
      assert.deepEqual(ordinalsOf(visible, space.index.size), expected);
      assert.equal(visible.count, expected.length);
      for (let count = random.below(40); count > 0; count -= 1) space.change();
    }
  }
  assert.ok(steps > ROUNDS, `${steps} steps`);
});

test('exact candidates are not tested again until documents change', async () => {
  const index = new TermIndex();
  const slot = index.add(1, passages(2));
  index.add(2, passages(1));
  const tested: number[] = [];
  const reads = {
    documentsAmong: (numbers: readonly number[]) => {
      tested.push(...numbers);
      return [];
    },
  };
  const scope = new EvaluatedScope(index, passagesOf(index, [1, 2]), true, 0);
  assert.equal(await scope.advance([], reads, { isOver: false }), true);
  assert.equal(scope.visible.count, 3);
  assert.deepEqual(tested, []);
  assert.equal(await scope.advance([slot], reads, { isOver: false }), true);
  assert.equal(scope.visible.count, 1);
  assert.deepEqual(tested, [1]);
});

test('slow documents can be evaluated after a series of fast hidden documents', async () => {
  const index = new TermIndex();
  for (let number = 1; number <= 600; number += 1) index.add(number, passages(1));
  const isSlow = (number: number) => number > 500;
  const reads = {
    documentsAmong: (numbers: readonly number[]) => {
      // Three slow documents exceed the time limit.
      if (numbers.filter(isSlow).length > 2) throw new StorageTooSlow();
      return numbers.filter(isSlow);
    },
  };
  const all = Array.from({ length: 600 }, (_, at) => at + 1);
  const scope = new EvaluatedScope(index, passagesOf(index, all), false, 0);
  let steps = 1;
  while (!(await scope.advance([], reads, { isOver: false }))) steps += 1;
  assert.equal(scope.visible.count, 100);
  assert.ok(steps > 1);
});
