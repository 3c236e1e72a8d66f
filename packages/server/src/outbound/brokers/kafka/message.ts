import { laneOf, type OutgoingEvent } from '../publishing/outgoing.ts';
import type { KafkaOptions } from './options.ts';

export interface KafkaMessage {
  readonly topic: string;
  readonly key: string;
  /** The event's text as it was sent. */
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * An event as a record in CloudEvents' structured mode, with the attributes by which consumers choose as headers
 * beside it, as the binding allows.
 */
export function messageOf(event: OutgoingEvent, options: KafkaOptions): KafkaMessage {
  const { spaceId, source, id, type, subject, text } = event;
  return {
    topic: topicOf(options, spaceId),
    key: options.key === 'event' ? JSON.stringify([spaceId, source, id]) : laneOf(event),
    value: text,
    headers: {
      'content-type': 'application/cloudevents+json; charset=UTF-8',
      ce_specversion: '1.0',
      ce_id: id,
      ce_source: source,
      ce_type: type,
      ...(subject === null ? {} : { ce_subject: subject }),
      gatehouse_space_id: spaceId,
    },
  };
}

export function topicOf({ topic }: KafkaOptions, spaceId: string): string {
  return topic.replaceAll('{spaceId}', spaceId);
}
