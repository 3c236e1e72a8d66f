import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskThread } from './ask-thread.ts';
import type { Gate } from './gated-thread.suite.ts';
import { StorageUnavailable } from './storage-errors.ts';

const SCRIPT = new URL('./gated-thread.suite.ts', import.meta.url);
const MAX_WAITING = 64;

function newGate(): Gate {
  return new Int32Array(new SharedArrayBuffer(4));
}

function open(gate: Gate): void {
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
}

function openThread() {
  const thread = new AskThread<Gate, number>(SCRIPT, 'gated', {});
  return Object.assign(thread, { [Symbol.asyncDispose]: () => thread.close() });
}

test('an aborted question is not sent to the thread and frees its place in the queue', async () => {
  await using thread = openThread();
  const gate = newGate();
  const first = thread.ask(gate, 'a');
  const gone = new AbortController();
  const waiting = Array.from({ length: MAX_WAITING }, () => thread.ask(gate, 'a', gone.signal));
  await assert.rejects(thread.ask(gate, 'a'), new StorageUnavailable('overloaded'));
  const reason = new Error('aborted');
  gone.abort(reason);
  for (const question of waiting) await assert.rejects(question, reason);
  const last = thread.ask(gate, 'a');
  open(gate);
  assert.deepEqual(await Promise.all([first, last]), [1, 2]);
});

test('aborting does not affect a question that is being answered', async () => {
  await using thread = openThread();
  const gate = newGate();
  const gone = new AbortController();
  const asked = thread.ask(gate, 'a', gone.signal);
  gone.abort();
  open(gate);
  assert.equal(await asked, 1);
  await assert.rejects(thread.ask(gate, 'a', gone.signal), { name: 'AbortError' });
});

test('close rejects all unanswered questions', async () => {
  const thread = openThread();
  const { signal } = new AbortController();
  const gate = newGate();
  const asked = [
    thread.ask(gate, 'a', signal),
    thread.ask(gate, 'a', signal),
    thread.ask(gate, 'b'),
  ];
  const outcomes = Promise.allSettled(asked);
  await thread.close();
  for (const { status } of await outcomes) assert.equal(status, 'rejected');
});
