import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, failureOf, fake, isFailure, textOf, untilError } from './asking.suite.ts';

beforeEach(() => fake.reset());

describe('an answer after the client disconnects', () => {
  test('throws the reason of the abort signal at any time and closes the connection to the model', async () => {
    for (const behaviour of [
      { does: 'stall' },
      { does: 'stall', pieces: ['A '] },
      { does: 'flood', with: 'text' },
    ] as const) {
      fake.reset();
      fake.behave(behaviour);
      const stop = new AbortController();
      const answer = untilError(ask({ signal: stop.signal }));
      while (fake.requests.length === 0) await sleep(5);
      stop.abort(new Error('stopped'));
      assert.equal(((await answer).error as Error).message, 'stopped');
      assert.equal(await fake.requests[0]?.ended, false);
    }
  });

  test('is not requested from the model if the signal is already aborted', async () => {
    const { error } = await untilError(ask({ signal: AbortSignal.abort(new Error('stopped')) }));
    assert.equal((error as Error).message, 'stopped');
    assert.equal(fake.requests.length, 0);
  });

  test('closes the connection to the model when the iteration ends', async () => {
    fake.behave({ does: 'stall', pieces: ['A ', 'B '] });
    for await (const part of ask({})) if (part.kind === 'text') break;
    assert.equal(await fake.requests[0]?.ended, false);
  });
});

describe('an answer over a limit', () => {
  test('fails as stalled if the model is slow to start, pauses too long or exceeds the total time', async () => {
    const cases = [
      [{ does: 'stall' }, { firstMs: 60 }, ''],
      [{ does: 'stall', pieces: [] }, { firstMs: 60 }, ''],
      [{ does: 'stall', pieces: ['A refund '] }, { betweenMs: 60 }, 'A refund '],
      [{ does: 'answer', pieces: Array(50).fill('on '), pauseMs: 20 }, { totalMs: 150 }, 'on '],
    ] as const;
    for (const [behaviour, limits, text] of cases) {
      fake.reset();
      fake.behave(behaviour);
      const { parts, error } = await untilError(ask({}, limits));
      assert.ok(textOf(parts).startsWith(text));
      assert.ok(isFailure('stalled')(error));
      assert.equal(await fake.requests[0]?.ended, false);
    }
  });

  test('does not time out while the model reasons or the reader is slow', async () => {
    fake.behave({ does: 'reason', forMs: 1000, pieces: ['One ', 'two.'] });
    let text = '';
    for await (const part of ask({}, { firstMs: 500, betweenMs: 500 })) {
      if (part.kind === 'text') text += part.text;
      await sleep(600);
    }
    assert.equal(text, 'One two.');
  });

  test('times out if a search hangs', async () => {
    fake.behave({ does: 'search', queries: ['x'] });
    const search = () => new Promise<never>(() => {});
    assert.equal((await failureOf(ask({ search }, { betweenMs: 60 }))).code, 'stalled');
  });

  test('stops at the length limit and closes the connection to the model', async () => {
    for (const [kind, limits] of [
      ['text', { text: 5000 }],
      ['reasoning', { bytes: 1_000_000 }],
      ['line', { bytes: 1_000_000 }],
    ] as const) {
      fake.reset();
      fake.behave({ does: 'flood', with: kind });
      const { parts, error } = await untilError(ask({}, limits));
      assert.ok(isFailure('too-long')(error), kind);
      assert.equal(textOf(parts).length, kind === 'text' ? 5000 : 0);
      assert.equal(await fake.requests[0]?.ended, false);
    }
  });
});
