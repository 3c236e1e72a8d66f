import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredEvent } from '../../../storage/ports/event-store.ts';
import { type EventSink, type Outcome, SinkFailure } from '../event-sink.ts';
import { Publisher } from './publisher.service.ts';

const UNREACHABLE = new SinkFailure('unreachable', 'no connection');
const TOO_LARGE = new SinkFailure('too-large', 'too large');

const page = (...texts: string[]): StoredEvent[] =>
  texts.map((text, index) => ({ position: index + 1, receivedAt: 0, text }));

/** Creates a publisher whose sink returns `answers`, one per call, and then publishes everything. */
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
  test('a retry publishes only the events that are not yet published', async () => {
    const { publisher, tried, published } = publishing('hold', [
      'published',
      UNREACHABLE,
      'published',
      'held',
    ]);
    await assert.rejects(publisher.publish('space', page('a', 'b', 'c', 'd')), UNREACHABLE);
    await publisher.publish('space', page('a', 'b', 'c', 'd', 'e'));
    await publisher.publish('space', page('f'));
    assert.deepEqual(tried, ['abcd', 'bde', 'f']);
    assert.equal(published(), 6);
  });

  test('published events are tracked per space and forgotten when the space is removed', async () => {
    const { publisher, tried } = publishing(
      'hold',
      ['published', UNREACHABLE],
      ['published', UNREACHABLE],
    );
    await assert.rejects(publisher.publish('one', page('a', 'b')), UNREACHABLE);
    await assert.rejects(publisher.publish('two', page('a', 'b')), UNREACHABLE);
    publisher.removeSpace('two');
    await publisher.publish('one', page('a', 'b'));
    await publisher.publish('two', page('a', 'b'));
    assert.deepEqual(tried, ['ab', 'ab', 'b', 'ab']);
  });

  test('an event that is too large is held or skipped, depending on the option', async () => {
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

  test('an unreachable broker is reported in preference to an event that is too large', async () => {
    const { publisher } = publishing('hold', [TOO_LARGE, UNREACHABLE, TOO_LARGE]);
    await assert.rejects(publisher.publish('space', page('a', 'b', 'c')), UNREACHABLE);
  });
});
