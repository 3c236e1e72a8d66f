import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskThread } from './ask-thread.ts';
import type { Gate } from './gated-thread.suite.ts';
import { ReadsOverloaded } from './read-limits.ts';
import type { StepsQuestion } from './stepping-thread.suite.ts';
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

function openThread<Question = Gate>(script = GATED) {
  const thread = new AskThread<Question, number | null>({ script, name: 'test', database: {} });
  return Object.assign(thread, { [Symbol.asyncDispose]: () => thread.close() });
}

const openStepping = () => openThread<StepsQuestion>(STEPPING);

test('an aborted question is not sent to the thread and frees its place in the queue', async () => {
  await using thread = openThread();
  const gate = newGate();
  const first = thread.ask(gate, A);
  const gone = new AbortController();
  const waiting = Array.from({ length: MAX_WAITING }, () => thread.ask(gate, A, gone.signal));
  await assert.rejects(thread.ask(gate, A), new ReadsOverloaded('caller'));
  const reason = new Error('aborted');
  gone.abort(reason);
  for (const question of waiting) await assert.rejects(question, reason);
  const last = thread.ask(gate, A);
  open(gate);
  assert.deepEqual(await Promise.all([first, last]), [1, 2]);
});

test('aborting does not affect a question that is being answered', async () => {
  await using thread = openThread();
  const gate = newGate();
  const gone = new AbortController();
  const asked = thread.ask(gate, A, gone.signal);
  gone.abort();
  open(gate);
  assert.equal(await asked, 1);
  await assert.rejects(thread.ask(gate, A, gone.signal), { name: 'AbortError' });
});

test('close rejects all unanswered questions', async () => {
  const thread = openThread();
  const { signal } = new AbortController();
  const gate = newGate();
  const asked = [thread.ask(gate, A, signal), thread.ask(gate, A, signal), thread.ask(gate, B)];
  const outcomes = Promise.allSettled(asked);
  await thread.close();
  for (const { status } of await outcomes) assert.equal(status, 'rejected');
});

test('questions of other spaces are answered between the steps of an answer', async () => {
  await using thread = openStepping();
  const order: string[] = [];
  const log = (name: string) => () => void order.push(name);
  const long = thread.ask({ name: 'long', steps: 5, ms: 30 }, A).then(log('long'));
  const short = thread.ask({ name: 'short', steps: 1, ms: 1 }, B).then(log('short'));
  await Promise.all([long, short]);
  assert.deepEqual(order, ['short', 'long']);
});

test('questions that belong together share their time limit, and questions of other spaces are answered in between', async () => {
  await using thread = openStepping();
  const order: number[] = [];
  const numbers = [2, 3, 4];
  const asked = thread.askOneAfterAnother(
    { name: 'q1', steps: 1, ms: 30 },
    (answer) => {
      order.push(answer);
      const steps = numbers.shift();
      return steps === undefined ? null : { name: `q${steps}`, steps, ms: 30 };
    },
    A,
  );
  const other = thread.ask({ name: 'other', steps: 1, ms: 1 }, B).then(() => order.push(0));
  assert.equal(await asked, 4);
  await other;
  assert.deepEqual(order, [1, 0, 2, 3, 4]);
  const endless = thread.askOneAfterAnother(
    { name: 'again', steps: 1, ms: 900 },
    () => ({ name: `${Math.random()}`, steps: 1, ms: 900 }),
    A,
  );
  await assert.rejects(endless, StorageTooSlow);
});

test('a caller finishes one answer before it continues with the next one', async () => {
  await using thread = openStepping();
  const order: string[] = [];
  const asked = ['one', 'two', 'three'].map((name) =>
    thread.ask({ name, steps: 4, ms: 1 }, A).then(() => order.push(name)),
  );
  await Promise.all(asked);
  assert.deepEqual(order, ['one', 'two', 'three']);
});

test('an answer whose steps take longer than two seconds together fails', async () => {
  await using thread = openStepping();
  const endless = { name: 'endless', steps: Number.POSITIVE_INFINITY, ms: 900 };
  await assert.rejects(thread.ask(endless, A), new StorageTooSlow());
  const loading = { name: 'loading', steps: 4, ms: 900, isShared: true };
  assert.equal(await thread.ask(loading, A), 4);
});
