import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Gate } from './gated-thread.suite.ts';
import { ReadsOverloaded } from './read-limits.ts';
import { ReadThread } from './read-thread.ts';
import type { StepsRequest } from './stepping-thread.suite.ts';
import { StorageTooSlow } from './storage-errors.ts';

const GATED = new URL('./gated-thread.suite.ts', import.meta.url);
const STEPPING = new URL('./stepping-thread.suite.ts', import.meta.url);
const MAX_WAITING = 64;
const A = { spaceId: 'a', caller: null };
const B = { spaceId: 'b', caller: null };

function newGate(): Gate {
  return new Int32Array(new SharedArrayBuffer(4));
}

function open(gate: Gate): void {
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
}

function openThread<Request = Gate>(script = GATED) {
  const thread = new ReadThread<Request, number | null>({ script, name: 'test', database: {} });
  return Object.assign(thread, { [Symbol.asyncDispose]: () => thread.close() });
}

const openStepping = () => openThread<StepsRequest>(STEPPING);

test('an aborted request is not sent to the thread and frees its place in the queue', async () => {
  await using thread = openThread();
  const gate = newGate();
  const first = thread.read(gate, A);
  const gone = new AbortController();
  const waiting = Array.from({ length: MAX_WAITING }, () => thread.read(gate, A, gone.signal));
  await assert.rejects(thread.read(gate, A), new ReadsOverloaded('caller'));
  const reason = new Error('aborted');
  gone.abort(reason);
  for (const read of waiting) await assert.rejects(read, reason);
  const last = thread.read(gate, A);
  open(gate);
  assert.deepEqual(await Promise.all([first, last]), [1, 2]);
});

test('aborting does not affect a read that has started', async () => {
  await using thread = openThread();
  const gate = newGate();
  const gone = new AbortController();
  const read = thread.read(gate, A, gone.signal);
  gone.abort();
  open(gate);
  assert.equal(await read, 1);
  await assert.rejects(thread.read(gate, A, gone.signal), { name: 'AbortError' });
});

test('close rejects all unfinished reads', async () => {
  const thread = openThread();
  const { signal } = new AbortController();
  const gate = newGate();
  const reads = [thread.read(gate, A, signal), thread.read(gate, A, signal), thread.read(gate, B)];
  const outcomes = Promise.allSettled(reads);
  await thread.close();
  for (const { status } of await outcomes) assert.equal(status, 'rejected');
});

test('reads of other spaces run between the steps of a read', async () => {
  await using thread = openStepping();
  const order: string[] = [];
  const log = (name: string) => () => void order.push(name);
  const long = thread.read({ name: 'long', steps: 5, ms: 30 }, A).then(log('long'));
  const short = thread.read({ name: 'short', steps: 1, ms: 1 }, B).then(log('short'));
  await Promise.all([long, short]);
  assert.deepEqual(order, ['short', 'long']);
});

test('reads in sequence share a time limit, and reads of other spaces run in between', async () => {
  await using thread = openStepping();
  const order: number[] = [];
  const numbers = [2, 3, 4];
  const last = thread.readInSequence(
    { name: 'q1', steps: 1, ms: 30 },
    (result) => {
      order.push(result);
      const steps = numbers.shift();
      return steps === undefined ? null : { name: `q${steps}`, steps, ms: 30 };
    },
    A,
  );
  const other = thread.read({ name: 'other', steps: 1, ms: 1 }, B).then(() => order.push(0));
  assert.equal(await last, 4);
  await other;
  assert.deepEqual(order, [1, 0, 2, 3, 4]);
  const endless = thread.readInSequence(
    { name: 'again', steps: 1, ms: 900 },
    () => ({ name: `${Math.random()}`, steps: 1, ms: 900 }),
    A,
  );
  await assert.rejects(endless, StorageTooSlow);
});

test('a caller finishes one read before it continues with the next one', async () => {
  await using thread = openStepping();
  const order: string[] = [];
  const reads = ['one', 'two', 'three'].map((name) =>
    thread.read({ name, steps: 4, ms: 1 }, A).then(() => order.push(name)),
  );
  await Promise.all(reads);
  assert.deepEqual(order, ['one', 'two', 'three']);
});

test('a read whose steps take longer than two seconds together fails', async () => {
  await using thread = openStepping();
  const endless = { name: 'endless', steps: Number.POSITIVE_INFINITY, ms: 900 };
  await assert.rejects(thread.read(endless, A), new StorageTooSlow());
  const loading = { name: 'loading', steps: 4, ms: 900, isShared: true };
  assert.equal(await thread.read(loading, A), 4);
});
