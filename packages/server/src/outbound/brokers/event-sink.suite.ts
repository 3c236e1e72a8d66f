import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SentEvent, textOf } from '../../storage/ports/event-batch.suite.ts';
import { type EventSink, type Outcome, SinkFailure } from './event-sink.ts';

export interface SinkUnderTest extends AsyncDisposable {
  readonly sink: EventSink;
  /** A size in bytes that exceeds the limit of the broker. */
  readonly tooLarge: number;
  /** Returns the stored texts, with the texts of each lane in order. */
  published(): Promise<string[]>;
  stopBroker(): Promise<void>;
  startBroker(): Promise<void>;
}

let made = 0;

export function eventText(event: Partial<SentEvent> = {}): string {
  made += 1;
  return textOf({ id: `e${made}`, source: 'urn:shop', ...event });
}

/** Returns the positions of texts, because assertion messages with the texts would be too long. */
const positionsOf = (texts: readonly string[], all: readonly string[]) =>
  texts.map((text) => all.indexOf(text)).join(' ');

function reasonsOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.map((outcome) => (outcome instanceof SinkFailure ? outcome.reason : outcome));
}

/** Tests the contract of `EventSink`. Every adapter runs this suite. */
export function eventSinkSuite(
  name: string,
  skip: string | false,
  open: () => Promise<SinkUnderTest>,
): void {
  describe(`a sink to ${name}`, { skip }, () => {
    let opened: SinkUnderTest;
    before(async () => {
      opened = await open();
    });
    after(() => opened[Symbol.asyncDispose]());

    const publish = async (events: readonly string[], spaceId = 'space') =>
      reasonsOf(await opened.sink.publish(spaceId, events));
    const publishUntilAccepted = async (events: readonly string[]) => {
      let left = events;
      for (let turn = 0; left.length > 0 && turn < 200; turn += 1) {
        const outcomes = await publish(left);
        left = left.filter((_, place) => outcomes[place] !== 'published');
        if (left.length > 0) await sleep(50);
      }
      assert.equal(left.length, 0, 'the broker accepts events again');
    };
    const publishedOf = async (events: readonly string[]) => {
      const texts = new Set(events);
      return (await opened.published()).filter((text) => texts.has(text));
    };

    test('publishes the exact text of each event once', async () => {
      const events = [
        eventText({ data: 'é ✓ 🦒 "quoted"' }),
        eventText({ subject: 'order/1' }),
        eventText({ source: '/a b/%2E*>', type: 'a.b > * \t"', data: { n: 1 } }),
        '{ "type":"t", "id":"exact", "source":"urn:shop", "data": 1.0000000000000000001 }',
      ];
      assert.deepEqual(await publish(events), ['published', 'published', 'published', 'published']);
      assert.deepEqual((await publishedOf(events)).toSorted(), events.toSorted());
    });

    test('accepts an empty list of events', async () => {
      assert.deepEqual(await publish([]), []);
    });

    test('keeps the order of events within a subject', async () => {
      const events = Array.from({ length: 700 }, (_, index) =>
        eventText({ subject: `order/${index % 7}` }),
      );
      await publish(events);
      const texts = await publishedOf(events);
      for (let lane = 0; lane < 7; lane += 1) {
        const sent = events.filter((_, index) => index % 7 === lane);
        const found = texts.filter((text) => sent.includes(text));
        assert.equal(positionsOf(found, sent), positionsOf(sent, sent));
      }
    });

    test('publishes pages of several spaces concurrently', async () => {
      const pages = Array.from({ length: 3 }, () =>
        Array.from({ length: 50 }, () => eventText({ subject: 'same' })),
      );
      const outcomes = await Promise.all(
        pages.map((page, index) => publish(page, `space-${index}`)),
      );
      assert.deepEqual([...new Set(outcomes.flat())], ['published']);
      for (const page of pages) assert.deepEqual(await publishedOf(page), page);
    });

    test('an event that is too large holds back only the later events of its subject', async () => {
      const large = eventText({ subject: 'large', data: 'x'.repeat(opened.tooLarge) });
      const events = [
        eventText({ subject: 'large' }),
        eventText({ subject: 'other' }),
        large,
        eventText({ subject: 'large' }),
        eventText({ subject: 'other' }),
      ];
      assert.deepEqual(await publish(events), [
        'published',
        'published',
        'too-large',
        'held',
        'published',
      ]);
      assert.equal((await publishedOf(events)).length, 3);
      assert.deepEqual(await publish(events.slice(3, 4)), ['published']);
    });

    test('fails while the broker is down and publishes in order after the broker restarts', async () => {
      const events = Array.from({ length: 20 }, () => eventText({ subject: 'order/9' }));
      await opened.stopBroker();
      const [first, ...others] = await publish(events);
      assert.equal(first, 'unreachable');
      assert.ok(others.every((outcome) => outcome !== 'published'));
      await opened.startBroker();
      await publishUntilAccepted(events);
      assert.deepEqual(await publishedOf(events), events);
    });

    test('loses no event if the broker restarts during publishing', async () => {
      const events = Array.from({ length: 2000 }, (_, index) =>
        eventText({ subject: `order/${index % 50}` }),
      );
      const publishing = publishUntilAccepted(events);
      await sleep(15);
      await opened.stopBroker();
      await opened.startBroker();
      await publishing;
      const texts = new Set(await opened.published());
      assert.equal(events.filter((text) => !texts.has(text)).length, 0);
    });

    test('close fails pending events immediately if the broker is down', async () => {
      await opened.stopBroker();
      const waiting = publish([eventText()]);
      await opened.sink.close();
      assert.deepEqual(await waiting, ['unreachable']);
      assert.deepEqual(await publish([eventText()]), ['unreachable']);
    });
  });
}
