import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerStates } from './answer-states.ts';

const POLL_MS = 5;
const state = (id: string) => ({ id, is_stopped: 0, followed_at: null });
const never = () => new AbortController().signal;

test('the answers of a space are read together, and each gets its own state', async () => {
  const read: [string, readonly string[]][] = [];
  const states = new AnswerStates(
    {
      readStates: async (spaceId, ids) => {
        read.push([spaceId, ids]);
        return ids.filter((id) => id !== 'deleted').map(state);
      },
    },
    POLL_MS,
  );
  const keys = [
    { spaceId: 'a', id: 'one' },
    { spaceId: 'b', id: 'two' },
    { spaceId: 'a', id: 'three' },
    { spaceId: 'a', id: 'deleted' },
  ];
  const found = await Promise.all(keys.map((key) => states.next(key, never())));
  assert.deepEqual(found, [state('one'), state('two'), state('three'), undefined]);
  assert.deepEqual(read, [
    ['a', ['one', 'three', 'deleted']],
    ['b', ['two']],
  ]);
});

test('a failed read affects only the answers of its space', async () => {
  const states = new AnswerStates(
    {
      readStates: async (spaceId, ids) => {
        if (spaceId === 'broken') throw new Error('no database');
        return ids.map(state);
      },
    },
    POLL_MS,
  );
  const broken = states.next({ spaceId: 'broken', id: 'one' }, never());
  const other = states.next({ spaceId: 'other', id: 'two' }, never());
  await assert.rejects(broken, /no database/);
  assert.deepEqual(await other, state('two'));
});

test('an answer that ends does not wait for the next read', async () => {
  const ended = new AbortController();
  const states = new AnswerStates({ readStates: async (_, ids) => ids.map(state) }, 3_600_000);
  const next = states.next({ spaceId: 'a', id: 'one' }, ended.signal);
  ended.abort();
  assert.equal(await next, undefined);
  assert.equal(await states.next({ spaceId: 'a', id: 'one' }, ended.signal), undefined);
});
