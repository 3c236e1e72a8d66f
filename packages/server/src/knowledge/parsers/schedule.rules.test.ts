import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractionToInterrupt, nextExtraction, QUICK_MS, SLOW_RUN_MS } from './schedule.rules.ts';

const waiting = (spaceId: string, spentMs = 0) => ({ spaceId, spentMs });
const running = (spaceId: string, runMs: number, spentMs = 0) => ({ spaceId, runMs, spentMs });
const never = () => 0;

describe('the next document', () => {
  test('comes from the space with the fewest running documents', () => {
    const [first, second] = [waiting('a'), waiting('b')];
    assert.equal(nextExtraction([first, second], [running('a', 10)], 2, never), second);
    assert.equal(nextExtraction([first, second], [], 2, never), first);
  });

  test('comes from the space that was served least recently', () => {
    const [first, second] = [waiting('a'), waiting('b')];
    const servedAt = (spaceId: string) => (spaceId === 'a' ? 2 : 1);
    assert.equal(nextExtraction([first, second], [], 2, servedAt), second);
  });

  test('is an interrupted document if a process remains for first runs', () => {
    const [first, interrupted] = [waiting('a'), waiting('b', 3000)];
    assert.equal(nextExtraction([first, interrupted], [], 2, never), interrupted);
    assert.equal(nextExtraction([first, interrupted], [running('c', QUICK_MS)], 2, never), first);
    assert.equal(nextExtraction([first, interrupted], [running('c', 0, 3000)], 2, never), first);
    assert.equal(nextExtraction([interrupted], [running('c', QUICK_MS)], 2, never), interrupted);
  });

  test('is the interrupted document that has run for the shortest time', () => {
    const [long, short] = [waiting('a', 9000), waiting('b', 3000)];
    assert.equal(nextExtraction([long, short], [], 2, never), short);
  });

  test('is not an interrupted document if there is only one process and another document waits for its first run', () => {
    const [interrupted, first] = [waiting('a', 3000), waiting('b')];
    assert.equal(nextExtraction([interrupted, first], [], 1, never), first);
    assert.equal(nextExtraction([interrupted], [], 1, never), interrupted);
  });
});

describe('a running document is interrupted', () => {
  const [quick, slow] = [running('a', QUICK_MS - 1), running('b', QUICK_MS)];
  const slower = running('c', 20_000);

  test('if slow documents use all processes while a document waits for its first run', () => {
    assert.equal(extractionToInterrupt([waiting('d')], [slower, slow], 2), slow);
    assert.equal(extractionToInterrupt([waiting('b')], [slower, slow], 2), slow);
    assert.equal(extractionToInterrupt([], [slower, slow], 2), undefined);
  });

  test('only if it is slow and no process is left for quick documents', () => {
    assert.equal(extractionToInterrupt([waiting('d')], [quick, slow], 2), undefined);
    assert.equal(extractionToInterrupt([waiting('d')], [quick, quick], 2), undefined);
    assert.equal(extractionToInterrupt([waiting('d')], [slow], 1), slow);
  });

  test('for a slow document of another space that has run for a shorter time', () => {
    const other = waiting('d', 3000);
    const late = running('c', 3000 + SLOW_RUN_MS);
    assert.equal(extractionToInterrupt([other], [quick, late], 2), late);
    assert.equal(
      extractionToInterrupt([other], [quick, running('c', late.runMs - 1)], 2),
      undefined,
    );
    assert.equal(extractionToInterrupt([waiting('c', 3000)], [quick, late], 2), undefined);
  });
});
