import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SentEvent, textOf } from './event-batch.suite.ts';
import { type EventSink, type Outcome, type OutgoingEvent, SinkFailure } from './event-sink.ts';

/** A sink of an adapter with its broker, for the suite. */
export interface SinkUnderTest extends AsyncDisposable {
  readonly sink: EventSink;
  /** Larger than the broker takes, bytes. */
  readonly tooLarge: number;
  /** The texts that the broker has, each lane's in its order. */
  published(): Promise<string[]>;
  stopBroker(): Promise<void>;
  startBroker(): Promise<void>;
}

let made = 0;

/** An event on its way; one without an identity of its own is another one each time. */
export function outgoing(event: Partial<SentEvent> = {}, spaceId = 'space'): OutgoingEvent {
  made += 1;
  const sent = { id: `e${made}`, source: 'urn:shop', type: 'order.placed', ...event };
  const { id, source, type, subject = null } = sent;
  const identity = made.toString(16).padStart(32, '0');
  return { spaceId, text: textOf(sent), id, source, type, subject, identity };
}

const textsOf = (events: readonly OutgoingEvent[]) => events.map(({ text }) => text);
/** Of some texts, short enough to be shown by an assertion. */
const placesOf = (texts: readonly string[], all: readonly string[]) =>
  texts.map((text) => all.indexOf(text)).join(' ');

function reasonsOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.map((outcome) => (outcome instanceof SinkFailure ? outcome.reason : outcome));
}

/** What every sink does, whatever its broker. */
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

    const publish = async (events: readonly OutgoingEvent[]) =>
      reasonsOf(await opened.sink.publish(events));
    const publishUntilTaken = async (events: readonly OutgoingEvent[]) => {
      let left = events;
      for (let turn = 0; left.length > 0 && turn < 200; turn += 1) {
        const outcomes = await publish(left);
        left = left.filter((_, place) => outcomes[place] !== 'published');
        if (left.length > 0) await sleep(50);
      }
      assert.equal(left.length, 0, 'the broker took events again');
    };
    const publishedOf = async (events: readonly OutgoingEvent[]) => {
      const texts = new Set(textsOf(events));
      return (await opened.published()).filter((text) => texts.has(text));
    };

    test('publishes the very text of each event once', async () => {
      const events = [
        outgoing({ data: 'é ✓ 🦒 "quoted"' }),
        outgoing({ subject: 'order/1' }),
        outgoing({ source: '/a b/%2E*>', type: 'a.b > * \t"', data: { n: 1 } }),
        { ...outgoing(), text: '{ "specversion":"1.0", "data": 1.0000000000000000001 }' },
      ];
      assert.deepEqual(await publish(events), ['published', 'published', 'published', 'published']);
      assert.deepEqual((await publishedOf(events)).toSorted(), textsOf(events).toSorted());
    });

    test('publishes nothing when there is nothing', async () => {
      assert.deepEqual(await publish([]), []);
    });

    test('keeps hundreds of events of few subjects in order', async () => {
      const events = Array.from({ length: 700 }, (_, index) =>
        outgoing({ subject: `order/${index % 7}` }),
      );
      await publish(events);
      const texts = await publishedOf(events);
      for (let lane = 0; lane < 7; lane += 1) {
        const sent = textsOf(events.filter(({ subject }) => subject === `order/${lane}`));
        const found = texts.filter((text) => sent.includes(text));
        assert.equal(placesOf(found, sent), placesOf(sent, sent));
      }
    });

    test('publishes pages of several spaces at once', async () => {
      const pages = ['one', 'two', 'three'].map((spaceId) =>
        Array.from({ length: 50 }, () => outgoing({ subject: 'same' }, spaceId)),
      );
      const outcomes = await Promise.all(pages.map(publish));
      assert.deepEqual([...new Set(outcomes.flat())], ['published']);
      for (const page of pages) assert.deepEqual(await publishedOf(page), textsOf(page));
    });

    test('holds back what follows an event that is too large, and nothing else', async () => {
      const large = outgoing({ subject: 'large', data: 'x'.repeat(opened.tooLarge) });
      const events = [
        outgoing({ subject: 'large' }),
        outgoing({ subject: 'other' }),
        large,
        outgoing({ subject: 'large' }),
        outgoing({ subject: 'other' }),
      ];
      assert.deepEqual(await publish(events), [
        'published',
        'published',
        'too-large',
        'held',
        'published',
      ]);
      assert.equal((await publishedOf(events)).length, 3);
      const [, , , behind] = events as [unknown, unknown, unknown, OutgoingEvent];
      assert.deepEqual(await publish([behind]), ['published']);
    });

    test('fails while the broker is away, and publishes when it is back, in order', async () => {
      const events = Array.from({ length: 20 }, () => outgoing({ subject: 'order/9' }));
      await opened.stopBroker();
      const [first, ...others] = await publish(events);
      assert.equal(first, 'unreachable');
      assert.ok(others.every((outcome) => outcome !== 'published'));
      await opened.startBroker();
      await publishUntilTaken(events);
      assert.deepEqual(await publishedOf(events), textsOf(events));
    });

    test('loses nothing when the broker stops and starts while it publishes', async () => {
      const events = Array.from({ length: 2000 }, (_, index) =>
        outgoing({ subject: `order/${index % 50}` }),
      );
      const publishing = publishUntilTaken(events);
      await sleep(15);
      await opened.stopBroker();
      await opened.startBroker();
      await publishing;
      const texts = new Set(await opened.published());
      assert.equal(textsOf(events).filter((text) => !texts.has(text)).length, 0);
    });

    test('fails at once when it is closed, and does not wait for a broker that is away', async () => {
      await opened.stopBroker();
      const waiting = publish([outgoing()]);
      await opened.sink.close();
      assert.deepEqual(await waiting, ['unreachable']);
      assert.deepEqual(await publish([outgoing()]), ['unreachable']);
    });
  });
}
