import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../../../packages/server/tests/support/events/event-stream.ts';
import type { FeedItem } from '../../../../packages/server/tests/support/events/events.ts';
import type { Receiver } from '../../../../packages/server/tests/support/events/receiver.ts';
import { subscribingIn } from '../../../../packages/server/tests/support/events/subscribing.ts';
import { until } from '../../../../packages/server/tests/support/until.ts';
import { oneByOne } from '../../pace.ts';
import { attempt, type Part, type Setting, violations } from '../../setting.ts';
import { type SentEvents, Tally } from '../../tally.ts';
import { PAID } from './traffic.ts';

/** The receiver fails this long in every period. */
const FAILS_MS = 15_000;
const PERIOD_MS = 180_000;
const ALL_EVENTS_LISTENERS = 2;
const PAID_LISTENERS = 10;
const ARRIVES_WITHIN_MS = 180_000;

/** Waits until no acknowledged event is missing in `tally`. Returns the number of missing events. */
export async function untilComplete(
  sent: SentEvents,
  tally: Tally,
  type?: string,
): Promise<number> {
  await until('all events have arrived', () => sent.missing(tally, type) === 0, ARRIVES_WITHIN_MS)
    // The caller reports the missing events.
    .catch(() => {});
  return sent.missing(tally, type);
}

/** Receives webhooks. The receiver rejects all requests now and then. */
export async function startWebhook(
  { client, session, space, signal }: Setting,
  sent: SentEvents,
  receiver: Receiver,
): Promise<Part> {
  const taken = new Tally();
  let isFailing = false;
  let accepted = 0;
  let rejected = 0;
  receiver.behave(({ event }) => {
    receiver.received.length = 0;
    if (isFailing) {
      rejected += 1;
      return { status: 503 };
    }
    accepted += 1;
    taken.add(event['id']);
    return { status: 204 };
  });
  await subscribingIn(client, session, space.id).subscribe({ url: receiver.url, types: [PAID] });
  return {
    run: () =>
      oneByOne(PERIOD_MS - FAILS_MS, signal, async () => {
        isFailing = true;
        await sleep(FAILS_MS, null, { signal }).catch(() => {});
        isFailing = false;
      }),
    check: async () =>
      violations({
        'subscribed events that the receiver lacks': await untilComplete(sent, taken, PAID),
      }),
    counts: () => ({ webhooksAccepted: accepted, webhooksRejected: rejected }),
  };
}

/** Listens to the live stream from the first event on. Reconnects now and then with `Last-Event-ID`. */
function startListener(setting: Setting, sent: SentEvents, index: number, type?: string): Part {
  const { replicas, key, signal } = setting;
  const received = new Tally();
  let streams = 0;
  let lastEventId = '';
  const query = type === undefined ? '' : `type=${type}`;

  /** Reads one stream until `isDone`, or for 5 to 30 seconds. */
  async function readStream(isDone: () => boolean): Promise<void> {
    const resume = lastEventId === '' ? { query: `?after=MA&${query}` } : { lastEventId };
    const at = { as: key, query: `?${query}`, ...resume };
    using stream = await listen(replicas.url(index), at);
    streams += 1;
    await attempt(setting, 'start of a stream', async () => {
      if (stream.response.status !== 200) throw new Error(`${stream.response.status}`);
    });
    const deadline = performance.now() + 5000 + Math.random() * 25_000;
    let read = 0;
    const hasEnded = stream.ended.then(() => true);
    let isEnded = false;
    while (!isEnded && !isDone() && performance.now() < deadline) {
      isEnded = await Promise.race([hasEnded, sleep(100).then(() => false)]);
      for (; read < stream.received.length; read += 1)
        received.add((JSON.parse(stream.received[read]?.data ?? '') as FeedItem).event['id']);
      // A stream without events has no ID.
      lastEventId = stream.lastEventId() || lastEventId;
    }
  }

  return {
    run: () => oneByOne(0, signal, () => readStream(() => signal.aborted)),
    check: async () => {
      const deadline = performance.now() + ARRIVES_WITHIN_MS;
      const missing = () => sent.missing(received, type);
      while (missing() > 0 && performance.now() < deadline) await readStream(() => missing() === 0);
      return violations({ [`events that listener ${index} lacks`]: missing() });
    },
    counts: () => ({ streams }),
  };
}

export function startListeners(setting: Setting, sent: SentEvents): Part[] {
  return Array.from({ length: ALL_EVENTS_LISTENERS + PAID_LISTENERS }, (_, index) =>
    startListener(setting, sent, index, index < ALL_EVENTS_LISTENERS ? undefined : PAID),
  );
}
