import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { EventSink, Outcome, SinkFailure } from '../event-sink.ts';
import { laneOf, messageIdOf, type OutgoingEvent, toOutgoing } from '../publishing/outgoing.ts';
import { createConnection } from './connection.ts';
import { failureOf } from './failure.ts';
import type { NatsOptions } from './options.ts';
import { subjectOf } from './subject.ts';

/** Acknowledgements that may be outstanding at once for one call. */
const WINDOW = 256;
const ACK_WITHIN_MS = 5_000;

/**
 * Publishes to NATS JetStream, each event as a message in CloudEvents' structured mode: the very text that was
 * sent, with its identity as `Nats-Msg-Id`, by which a stream drops what it was sent twice within its
 * `duplicate_window`. Up to 256 events of different lanes are under way at once, one of each lane: a
 * server may take the second of two messages where it failed to take the first.
 */
export function createNatsSink(options: NatsOptions): EventSink {
  const connection = createConnection(options);

  return {
    publish: async (spaceId, texts) => {
      try {
        const client = jetstream(await connection.get());
        const events = texts.map((text) => toOutgoing(spaceId, text));
        return await publishLanes(client, events, options.subject);
      } catch (error) {
        const failure = failureOf(error);
        return texts.map(() => failure);
      }
    },
    close: () => connection.close(),
  };
}

async function publishLanes(
  client: JetStreamClient,
  events: readonly OutgoingEvent[],
  template: string,
): Promise<readonly Outcome[]> {
  const outcomes = new Array<Outcome>(events.length).fill('held');
  const lanes = Map.groupBy(events.keys(), (place) => laneOf(events[place] as OutgoingEvent));
  const waiting = lanes.values();
  let away = false;

  async function publishLane(lane: readonly number[]): Promise<void> {
    for (const place of lane) {
      if (away) return;
      const outcome = await publishOne(client, events[place] as OutgoingEvent, template);
      outcomes[place] = outcome;
      if (outcome === 'published') continue;
      away ||= outcome.reason === 'unreachable';
      return;
    }
  }

  async function publishWaiting(): Promise<void> {
    for (const lane of waiting) await publishLane(lane);
  }

  await Promise.all(Array.from({ length: Math.min(WINDOW, lanes.size) }, publishWaiting));
  return outcomes;
}

async function publishOne(
  client: JetStreamClient,
  event: OutgoingEvent,
  template: string,
): Promise<'published' | SinkFailure> {
  const subject = subjectOf(template, event);
  const head = headers();
  head.set('Content-Type', 'application/cloudevents+json; charset=UTF-8');
  head.set('Gatehouse-Space-Id', event.spaceId);
  try {
    await client.publish(subject, event.text, {
      msgID: messageIdOf(event),
      headers: head,
      timeout: ACK_WITHIN_MS,
      retries: 1,
    });
    return 'published';
  } catch (error) {
    return failureOf(error, subject);
  }
}
