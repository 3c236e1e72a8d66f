import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpaceAccess, UserCaller } from '../../identity/index.ts';
import {
  createMemoryRateCounts,
  createMemorySemaphores,
} from '../../storage/single-process/index.ts';
import { AnswerFailure } from '../answerer.ts';
import { openTurns, PASSAGE, text, unfinished } from './turn.suite.ts';
import { createTurnLimits } from './turn-limits.ts';

const EDITOR = { kind: 'user', userId: 'eve', admin: false, sessionId: 's' } as UserCaller;
const SPACE = { spaceId: 'space', caller: EDITOR } as SpaceAccess;
const REQUEST = { permissionFilter: {}, question: ' How long? ' };
const never = () => ({ requestId: 'request', gone: new AbortController().signal });
const FOUND = {
  documentId: PASSAGE.documentId,
  fileName: PASSAGE.fileName,
  position: PASSAGE.position,
  heading: PASSAGE.heading,
  text: PASSAGE.text,
};

test('a preview returns the answer with its passages and sources, and counts tokens but no turn', async () => {
  const questions: string[] = [];
  await using opened = await openTurns(async function* ({ question, history, passages, search }) {
    questions.push(question);
    assert.deepEqual(history, []);
    await search('more');
    yield { kind: 'usage', inputTokens: 3, outputTokens: 5 };
    yield text('Five ');
    yield text('days [1].');
    const [passage] = passages;
    assert.ok(passage);
    yield { kind: 'source', number: 1, passage };
  });
  const { passages, answer } = await opened.turns.preview(SPACE, EDITOR, REQUEST, never());
  assert.deepEqual(questions, ['How long?']);
  assert.deepEqual(passages, [FOUND], 'a passage that two searches find is listed once');
  assert.deepEqual(
    [answer.text, answer.state, answer.failure],
    ['Five days [1].', 'finished', null],
  );
  assert.deepEqual(
    answer.sources.map(({ filename }) => filename),
    ['returns.md'],
  );
  assert.deepEqual([opened.outcomes, opened.tokens], [[], [3, 5]]);
  assert.deepEqual(await opened.stored(), []);
});

test('a preview reports the failure that the user of the link would see', async () => {
  await using opened = await openTurns(async function* () {
    yield text('Five ');
    throw new AnswerFailure('broken', 'connection lost');
  });
  const { answer } = await opened.turns.preview(SPACE, EDITOR, REQUEST, never());
  assert.deepEqual([answer.text, answer.state], ['Five ', 'failed']);
  assert.equal(answer.failure?.code, 'chat.answer-broken');
  assert.match(answer.failure?.message ?? '', /cut off/);
});

test('a preview stops when the client disconnects, and releases its semaphores', async () => {
  const gone = new AbortController();
  await using opened = await openTurns((question) => {
    gone.abort(new Error('gone'));
    return unfinished(question);
  });
  const from = { requestId: 'request', gone: gone.signal };
  await assert.rejects(opened.turns.preview(SPACE, EDITOR, REQUEST, from), /gone/);
  await opened.turns.end(0);
});

test('the limits per minute apply to a person and to all previews of a space', async () => {
  for (const perMinute of [
    { person: 2, link: 0 },
    { person: 0, link: 2 },
  ]) {
    const limits = createTurnLimits({
      perMinute,
      rates: createMemoryRateCounts(() => 1_700_000_000_000),
      semaphores: createMemorySemaphores(),
    });
    await using opened = await openTurns(
      async function* () {
        yield text('Yes.');
      },
      { limits },
    );
    const ask = () => opened.turns.preview(SPACE, EDITOR, REQUEST, never());
    await ask();
    await ask();
    await assert.rejects(ask(), { status: 429 });
    const other = { ...EDITOR, userId: 'bob' };
    const byOther = opened.turns.preview(SPACE, other, REQUEST, never());
    if (perMinute.link === 0) assert.equal((await byOther).answer.text, 'Yes.');
    else await assert.rejects(byOther, { status: 429 });
  }
});
