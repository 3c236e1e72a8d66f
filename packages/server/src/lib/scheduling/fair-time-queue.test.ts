import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairTimeQueue } from './fair-time-queue.ts';

const HALF_LIFE_MS = 10_000;

function open() {
  const state = { now: 0 };
  const queue = new FairTimeQueue<string>(() => state.now);
  const ownerOf = (name: string) => ({ spaceId: name.slice(0, 1), caller: name.slice(0, 2) });
  const add = (...names: string[]) => {
    for (const name of names) queue.add(ownerOf(name), name);
  };
  /** Runs the next operation for the given time. */
  const serve = (ms: number): string | undefined => {
    const taken = queue.take();
    taken?.end({ ms, isShared: false });
    return taken?.item;
  };
  const drain = (costOf: (name: string) => number): string[] => {
    const served: string[] = [];
    for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
      taken.end({ ms: costOf(taken.item), isShared: false });
      served.push(taken.item);
    }
    return served;
  };
  return { state, queue, ownerOf, add, serve, drain };
}

test('spaces get equal time, not equal numbers of operations', () => {
  const { add, drain } = open();
  for (let n = 0; n < 10; n += 1) add(`h1-${n}`);
  for (let n = 0; n < 100; n += 1) add(`l1-${n}`);
  const served = drain((name) => (name.startsWith('h') ? 100 : 10));
  const untilFifth = served.slice(0, served.indexOf('h1-5'));
  const light = untilFifth.filter((name) => name.startsWith('l')).length;
  assert.ok(light >= 40 && light <= 60, `${light} light operations beside 5 heavy ones`);
});

test('callers of a space share its time, and many callers of one space get no more than one caller of another', () => {
  const { add, drain } = open();
  for (let n = 0; n < 90; n += 1) add(`a${n % 9}-${n}`);
  for (let n = 0; n < 20; n += 1) add(`b1-${n}`);
  const served = drain(() => 10);
  const first = served.slice(0, 30);
  const ofB = first.filter((name) => name.startsWith('b')).length;
  assert.ok(ofB >= 14 && ofB <= 16, `${ofB} of 30`);
  const perCaller = Map.groupBy(
    first.filter((name) => name.startsWith('a')),
    (name) => name.slice(0, 2),
  );
  for (const [caller, own] of perCaller) assert.ok(own.length <= 2, `${caller}: ${own.length}`);
});

test('a new operation of a light space overtakes all operations of a heavy space', () => {
  const { add, serve } = open();
  add('h1-1', 'h1-2', 'h1-3');
  assert.equal(serve(2000), 'h1-1');
  add('l1-1');
  assert.equal(serve(5), 'l1-1');
  assert.equal(serve(5), 'h1-2');
});

test('a space that was idle does not run alone until it has used as much as the others', () => {
  const { add, serve } = open();
  for (let n = 0; n < 20; n += 1) {
    add(`l1-${n}`);
    serve(10);
  }
  add('h1-1', 'h1-2', 'h1-3');
  assert.equal(serve(30), 'h1-1');
  add('l1-20');
  assert.equal(serve(10), 'l1-20');
  assert.equal(serve(30), 'h1-2');
});

test('a new caller does not run alone until it has used as much as the other callers of its space', () => {
  const { add, serve } = open();
  for (let n = 0; n < 20; n += 1) {
    add(`a1-${n}`);
    serve(10);
  }
  add('a2-1', 'a2-2', 'a2-3');
  assert.equal(serve(30), 'a2-1');
  add('a1-20');
  assert.equal(serve(10), 'a1-20');
});

test('operations of one caller run in order, and a continued operation runs first', () => {
  const { queue, ownerOf, add, serve } = open();
  add('a1-1', 'a1-2', 'a1-3');
  assert.equal(serve(10), 'a1-1');
  queue.add(ownerOf('a1-1'), 'a1-1 continued', true);
  assert.deepEqual([serve(1), serve(1), serve(1)], ['a1-1 continued', 'a1-2', 'a1-3']);
});

test('time counts while an operation is running', () => {
  const { state, queue, add } = open();
  add('a1-1', 'a1-2', 'b1-1');
  assert.equal(queue.take()?.item, 'a1-1');
  state.now += 1;
  assert.equal(queue.take()?.item, 'b1-1');
  state.now += 50;
  add('c1-1');
  assert.equal(queue.take()?.item, 'c1-1');
});

test('used time is forgotten: it halves every ten seconds', () => {
  const { state, add, serve } = open();
  add('a1-1');
  serve(1000);
  state.now += 6 * HALF_LIFE_MS;
  add('b1-1');
  serve(100);
  add('b1-2', 'a1-2');
  assert.equal(serve(1), 'a1-2', '1000 ms have become less than 100 ms');
});

test('work for all callers of a space is charged to the space only', () => {
  const { queue, ownerOf, add, serve } = open();
  add('a1-1');
  const spent = queue.measure(ownerOf('a1-1'));
  queue.take()?.end({ ms: 500, isShared: true });
  assert.deepEqual(spent(), { caller: 0, space: 500, all: 500, shared: 500 });
  add('a1-2', 'a2-1');
  assert.equal(serve(1), 'a1-2', 'both callers of the space have used no time');
  add('b1-1');
  assert.equal(serve(1), 'b1-1', 'the space has used more time than another one');
});

test('a removed operation does not run, and idle owners are forgotten', () => {
  const { state, queue, ownerOf, add, serve } = open();
  add('a1-1', 'a1-2');
  assert.equal(queue.remove(ownerOf('a1-1'), 'a1-1'), true);
  assert.equal(queue.remove(ownerOf('a1-1'), 'a1-1'), false);
  assert.deepEqual(queue.waitingOf(ownerOf('a1-2')), { caller: 1, space: 1 });
  assert.equal(serve(1), 'a1-2');
  assert.equal(queue.isEmpty, true);
  state.now += 100 * HALF_LIFE_MS;
  assert.equal(serve(1), undefined);
  assert.deepEqual(queue.waitingOf(ownerOf('a1-2')), { caller: 0, space: 0 });
});
