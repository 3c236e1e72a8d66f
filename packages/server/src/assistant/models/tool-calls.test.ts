import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerTool, ToolResult } from '../answerer.ts';
import { all, ask, fake, isFailure, textOf, untilError } from './asking.suite.ts';

beforeEach(() => fake.reset());

function toolWith(result: (signal: AbortSignal) => Promise<ToolResult>): AnswerTool {
  return {
    name: 'pay',
    title: null,
    description: 'Pays.',
    inputSchema: { type: 'object' },
    needsConsent: true,
    start: async (input, signal) => ({
      call: { id: 'call', name: 'pay', title: null, input, needsConsent: true },
      result: () => result(signal),
    }),
  };
}

function callOnce(): void {
  fake.reset();
  fake.behave(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? { does: 'answer', pieces: ['Paid.'] }
      : { does: 'call', calls: [{ name: 'pay', input: {} }] },
  );
}

test('the timeouts of an answer are suspended while a tool is called', async () => {
  callOnce();
  const tool = toolWith(async () => {
    await sleep(3000);
    return { outcome: 'succeeded', text: 'yes' };
  });
  const limits = { firstMs: 2000, betweenMs: 2000, totalMs: 2900 };
  const parts = await all(ask({ tools: [tool] }, limits));
  assert.equal(textOf(parts), 'Paid.');
  assert.deepEqual(
    parts.flatMap(({ kind }) => (kind.startsWith('tool') ? [kind] : [])),
    ['tool-call', 'tool-result'],
  );
});

test('the call is reported before its result is known', async () => {
  callOnce();
  const { promise, resolve } = Promise.withResolvers<ToolResult>();
  const kinds: string[] = [];
  for await (const { kind } of ask({ tools: [toolWith(() => promise)] })) {
    kinds.push(kind);
    if (kind === 'tool-call') resolve({ outcome: 'succeeded', text: 'yes' });
  }
  assert.ok(kinds.indexOf('tool-call') < kinds.indexOf('tool-result'));
  assert.ok(!kinds.includes('unanswered'), 'a result of a tool answers the question');
});

test('a failure of the model after a call is not repeated, because the call may have had effects', async () => {
  fake.reset();
  let calls = 0;
  fake.behave(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? { does: 'status', status: 503 }
      : { does: 'call', calls: [{ name: 'pay', input: {} }] },
  );
  const tool = toolWith(async () => {
    calls += 1;
    return { outcome: 'succeeded', text: 'yes' };
  });
  const { error } = await untilError(ask({ tools: [tool] }));
  assert.ok(isFailure('overloaded')(error));
  assert.equal(calls, 1);
  assert.equal(fake.requests.length, 2);
});

test('a tool is aborted when the person stops the answer', async () => {
  callOnce();
  const stop = new AbortController();
  let isAborted = false;
  const tool = toolWith(async (signal) => {
    stop.abort(new Error('stopped'));
    isAborted = signal.aborted;
    throw signal.reason;
  });
  const { error } = await untilError(ask({ tools: [tool], signal: stop.signal }));
  assert.equal((error as Error).message, 'stopped');
  assert.ok(isAborted);
});
