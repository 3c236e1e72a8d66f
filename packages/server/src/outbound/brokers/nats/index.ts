import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import {
  type EventSink,
  laneOf,
  messageIdOf,
  type Outcome,
  type SinkEvent,
  type SinkFailure,
  toSinkEvent,
} from '../event-sink.ts';
import { createConnection, type NatsOptions } from './connection.ts';
import { failureOf } from './failure.ts';
import { subjectOf } from './subject.ts';

export type { NatsOptions };

/** Maximum number of events in flight per call. */
const MAX_IN_FLIGHT = 256;
const ACK_TIMEOUT_MS = 5_000;

/**
 * Creates a sink that publishes to NATS JetStream in CloudEvents structured mode. The `Nats-Msg-Id` is the identity of
 * the event, so a stream drops duplicates within its `duplicate_window`. Only one event of each lane is in flight
 * because a server may store the second of two messages after failing to store the first.
 */
export function createNatsSink(options: NatsOptions): EventSink {
  const connection = createConnection(options);

  return {
    publish: async (spaceId, texts) => {
      try {
        const client = jetstream(await connection.get());
        const events = texts.map((text) => toSinkEvent(spaceId, text));
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
  events: readonly SinkEvent[],
  template: string,
): Promise<readonly Outcome[]> {
  const outcomes = new Array<Outcome>(events.length).fill('held');
  const lanes = Map.groupBy(events.keys(), (index) => laneOf(events[index] as SinkEvent));
  const waiting = lanes.values();
  let isUnreachable = false;

  async function publishLane(lane: readonly number[]): Promise<void> {
    for (const index of lane) {
      if (isUnreachable) return;
      const outcome = await publishOne(client, events[index] as SinkEvent, template);
      outcomes[index] = outcome;
      if (outcome === 'published') continue;
      isUnreachable ||= outcome.reason === 'unreachable';
      return;
    }
  }

  async function publishWaiting(): Promise<void> {
    for (const lane of waiting) await publishLane(lane);
  }

  await Promise.all(Array.from({ length: Math.min(MAX_IN_FLIGHT, lanes.size) }, publishWaiting));
  return outcomes;
}

async function publishOne(
  client: JetStreamClient,
  event: SinkEvent,
  template: string,
): Promise<'published' | SinkFailure> {
  const subject = subjectOf(template, event);
  const head = headers();
  head.set('Content-Type', 'application/cloudevents+json; charset=UTF-8');
  head.set('Gatehouse-Space-Id', event.spaceId);
  for (const [name, value] of Object.entries(event.trace)) head.set(name, value);
  try {
    await client.publish(subject, event.text, {
      msgID: messageIdOf(event),
      headers: head,
      timeout: ACK_TIMEOUT_MS,
      retries: 1,
    });
    return 'published';
  } catch (error) {
    return failureOf(error, subject);
  }
}
