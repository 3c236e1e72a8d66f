import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredEvent } from '../../../storage/ports/event-store.ts';
import { type EventSink, type Outcome, SinkFailure } from '../event-sink.ts';
import { Publisher } from './publisher.service.ts';

const AWAY = new SinkFailure('unreachable', 'away');
const TOO_LARGE = new SinkFailure('too-large', 'too large');

const page = (...texts: string[]): StoredEvent[] =>
  texts.map((text, index) => ({ position: index + 1, receivedAt: 0, text }));

/** A page's events go to a sink that answers as it is told, one answer for each call. */
function publishing(tooLarge: 'hold' | 'skip', ...answers: (readonly Outcome[])[]) {
  const tried: string[] = [];
  const skipped: number[] = [];
  let published = 0;
  const sink: EventSink = {
    publish: async (_, texts) => {
      tried.push(texts.join(''));
      return answers.shift() ?? texts.map(() => 'published');
    },
    close: async () => {},
  };
  const publisher = new Publisher({
    sink,
    tooLarge,
    onPublished: (count) => {
      published += count;
    },
    onSkipped: (_, { position }) => void skipped.push(position),
  });
  return { publisher, tried, skipped, published: () => published };
}

describe('publishing a page', () => {
  test('tries only what the broker does not have when it is tried again', async () => {
    const { publisher, tried, published } = publishing('hold', [
      'published',
      AWAY,
      'published',
      'held',
    ]);
    await assert.rejects(publisher.publish('space', page('a', 'b', 'c', 'd')), AWAY);
    await publisher.publish('space', page('a', 'b', 'c', 'd', 'e'));
    await publisher.publish('space', page('f'));
    assert.deepEqual(tried, ['abcd', 'bde', 'f']);
    assert.equal(published(), 6);
  });

  test('remembers that for each space, and not for one that is gone', async () => {
    const { publisher, tried } = publishing('hold', ['published', AWAY], ['published', AWAY]);
    await assert.rejects(publisher.publish('one', page('a', 'b')), AWAY);
    await assert.rejects(publisher.publish('two', page('a', 'b')), AWAY);
    publisher.removeSpace('two');
    await publisher.publish('one', page('a', 'b'));
    await publisher.publish('two', page('a', 'b'));
    assert.deepEqual(tried, ['ab', 'ab', 'b', 'ab']);
  });

  test('waits for what is too large, unless it may be left out with what it held back going on', async () => {
    const answer = ['published', TOO_LARGE, 'held', 'published'] as const;
    const holding = publishing('hold', answer);
    await assert.rejects(holding.publisher.publish('space', page('a', 'b', 'c', 'd')), TOO_LARGE);
    assert.deepEqual(holding.skipped, []);
    const skipping = publishing('skip', answer, [TOO_LARGE]);
    await skipping.publisher.publish('space', page('a', 'b', 'c', 'd'));
    assert.deepEqual(skipping.tried, ['abcd', 'c']);
    assert.deepEqual(skipping.skipped, [2, 3]);
    assert.equal(skipping.published(), 2);
  });

  test('says that the broker is away rather than that one event is too large', async () => {
    const { publisher } = publishing('hold', [TOO_LARGE, AWAY, TOO_LARGE]);
    await assert.rejects(publisher.publish('space', page('a', 'b', 'c')), AWAY);
  });
});
