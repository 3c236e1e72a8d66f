import { laneOf, type SinkEvent } from '../event-sink.ts';

export interface KafkaOptions {
  readonly brokers: readonly string[];
  readonly topic: string;
  /**
   * The record key, which determines the partition and therefore the order. `subject`: space, source and subject.
   * `event`: space, source and ID.
   */
  readonly key: 'subject' | 'event';
  readonly tls: boolean;
  readonly sasl: {
    readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
    readonly user: string;
    readonly password: string;
  } | null;
}

export interface KafkaRecord {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the record of an event in CloudEvents structured mode. The attributes are also sent as headers, for
 * filtering.
 */
export function recordOf(event: SinkEvent, options: KafkaOptions): KafkaRecord {
  const { spaceId, source, id, type, subject, text } = event;
  return {
    topic: topicOf(options, spaceId),
    key: options.key === 'event' ? JSON.stringify([spaceId, source, id]) : laneOf(event),
    value: text,
    headers: {
      ...event.trace,
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
