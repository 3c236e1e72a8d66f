import { laneOf, type SinkEvent } from '../event-sink.ts';

export interface KafkaOptions {
  /** `host:port` of bootstrap brokers. */
  readonly brokers: readonly string[];
  /** Template with `{spaceId}`. */
  readonly topic: string;
  /**
   * The record key, which determines the partition and so the order: space, source and subject, or space, source and
   * id.
   */
  readonly key: 'subject' | 'event';
  readonly tls: boolean;
  /** Null for no authentication. */
  readonly sasl: {
    readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
    readonly user: string;
    readonly password: string;
  } | null;
}

export interface KafkaRecord {
  readonly topic: string;
  readonly key: string;
  /** The unchanged text of the event. */
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the record of an event in CloudEvents' structured mode. Its attributes are also headers, as the binding allows,
 * so that consumers can filter by them.
 */
export function recordOf(event: SinkEvent, options: KafkaOptions): KafkaRecord {
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
