import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, failureOf, fake, isFailure, textOf, untilError } from './asking.suite.ts';

describe('an answer that nobody waits for', () => {
  test('ends with the reason of the signal, at any time, and hangs up on the model', async () => {
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

  test('is not begun for a signal that is aborted already', async () => {
    const { error } = await untilError(ask({ signal: AbortSignal.abort(new Error('stopped')) }));
    assert.equal((error as Error).message, 'stopped');
    assert.equal(fake.requests.length, 0);
  });

  test('hangs up on the model when its reader leaves', async () => {
    fake.behave({ does: 'stall', pieces: ['A ', 'B '] });
    for await (const part of ask({})) if (part.kind === 'text') break;
    assert.equal(await fake.requests[0]?.ended, false);
  });
});

describe('an answer that takes too long or is too long', () => {
  test('says that the model is slow to begin, or stops in the middle, and hangs up', async () => {
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

  test('does not take a model for slow that thinks, nor for a reader that is', async () => {
    fake.behave({ does: 'reason', forMs: 1000, pieces: ['One ', 'two.'] });
    let text = '';
    for await (const part of ask({}, { firstMs: 500, betweenMs: 500 })) {
      if (part.kind === 'text') text += part.text;
      await sleep(600);
    }
    assert.equal(text, 'One two.');
  });

  test('ends a search that hangs', async () => {
    fake.behave({ does: 'search', queries: ['x'] });
    const search = () => new Promise<never>(() => {});
    assert.equal((await failureOf(ask({ search }, { betweenMs: 60 }))).code, 'stalled');
  });

  test('is not longer than it may be, and hangs up on a model that never ends', async () => {
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
