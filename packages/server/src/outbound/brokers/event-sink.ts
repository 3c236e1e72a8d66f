import { parse } from '../../lib/json/index.ts';
import { type TraceHeaders, traceOfEvent } from '../../platform/traces/index.ts';
import { identityOf } from '../../storage/ports/index.ts';

/**
 * The result of publishing an event. `published`: the broker has stored the event. `held`: the event was not sent
 * because an earlier event of its lane failed or the broker is unreachable.
 */
export type Outcome = 'published' | 'held' | SinkFailure;

/**
 * A broker that receives accepted events.
 *
 * @example
 * const outcomes = await sink.publish(spaceId, events.map(({ text }) => text));
 * const retry = events.filter((_, index) => outcomes[index] !== 'published');
 */
export interface EventSink {
  /**
   * Publishes the JSON texts of events of one space and returns the outcomes in the same order. Events with the same
   * source and subject are stored in the given order. The promise never rejects and settles in bounded time. The broker
   * may have stored an event even though its outcome is a failure. A retry may then store the event twice, with the
   * same identity.
   */
  publish(spaceId: string, texts: readonly string[]): Promise<readonly Outcome[]>;
  /** Waits briefly for events in flight, then disconnects. */
  close(): Promise<void>;
}

/**
 * - `unreachable`: there is no connection or no response.
 * - `unauthorized`: the credentials are wrong or lack a permission.
 * - `refused`: the broker accepts no events because the stream or topic does not exist or is full.
 * - `too-large`: this event exceeds a limit of the broker.
 */
export type SinkFailureReason = 'unreachable' | 'unauthorized' | 'refused' | 'too-large';

/** Reports that an event was not published. The message is for the operator and contains neither secrets nor event data. */
export class SinkFailure extends Error {
  override readonly name = 'SinkFailure';
  readonly reason: SinkFailureReason;

  constructor(reason: SinkFailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface SinkEvent {
  readonly spaceId: string;
  readonly text: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string | null;
  /** The trace of the event, which the sink forwards as headers. */
  readonly trace: TraceHeaders;
}

export function toSinkEvent(spaceId: string, text: string): SinkEvent {
  // Ingest has validated these members. In CloudEvents JSON the subject may be null.
  const event = parse(text) as {
    id: string;
    source: string;
    type: string;
    subject?: string | null;
  };
  const { id, source, type, subject = null } = event;
  return { spaceId, text, id, source, type, subject, trace: traceOfEvent(event) };
}

/** Returns 32 hexadecimal digits that identify (space, source, ID). */
export function messageIdOf({ spaceId, source, id }: SinkEvent): string {
  return Buffer.from(identityOf(spaceId, source, id), 'latin1').toString('hex');
}

/** Returns the key of the event's lane. The events of one lane, which share space, source and subject, stay in order. */
export function laneOf({ spaceId, source, subject }: SinkEvent): string {
  return JSON.stringify(subject === null ? [spaceId, source] : [spaceId, source, subject]);
}
