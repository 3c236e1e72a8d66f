import { parse } from '../../lib/json/index.ts';
import { identityOf } from '../../storage/ports/index.ts';

/**
 * The result of publishing an event. `published`: the broker has stored it. `held`: it was not sent, because an earlier
 * event of its lane failed or the broker is unreachable.
 */
export type Outcome = 'published' | 'held' | SinkFailure;

/** A broker as a target of accepted events. */
export interface EventSink {
  /**
   * Publishes events of one space, given as their unchanged JSON texts, and returns the outcomes in the same order.
   * Events of one (source, subject) are stored in the given order. Never rejects, and ends in bounded time. A failed
   * event may be stored nevertheless; publishing it again may store it twice, with the same identity.
   */
  publish(spaceId: string, texts: readonly string[]): Promise<readonly Outcome[]>;
  /** Waits shortly for events in flight, then disconnects. */
  close(): Promise<void>;
}

/**
 * - `unreachable`: there is no connection or no response.
 * - `unauthorized`: the credentials are wrong or lack a permission.
 * - `refused`: the broker accepts no events: the stream or topic does not exist or is full.
 * - `too-large`: this event exceeds a limit of the broker.
 */
export type SinkFailureReason = 'unreachable' | 'unauthorized' | 'refused' | 'too-large';

/** An event was not published. The message is for the operator and contains neither secrets nor event data. */
export class SinkFailure extends Error {
  override readonly name = 'SinkFailure';
  readonly reason: SinkFailureReason;

  constructor(reason: SinkFailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** An event with the attributes that brokers need. */
export interface SinkEvent {
  readonly spaceId: string;
  /** The JSON text as the sender wrote it. */
  readonly text: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string | null;
}

export function toSinkEvent(spaceId: string, text: string): SinkEvent {
  // Accepted events have these as strings; the subject may be null in CloudEvents JSON.
  const { id, source, type, subject } = parse(text) as {
    id: string;
    source: string;
    type: string;
    subject?: string | null;
  };
  return { spaceId, text, id, source, type, subject: subject ?? null };
}

/** Returns 32 hexadecimal digits that identify (space, source, id). */
export function messageIdOf({ spaceId, source, id }: SinkEvent): string {
  return Buffer.from(identityOf(spaceId, source, id), 'latin1').toString('hex');
}

/**
 * Returns the key that events must share to be kept in order: space, source and subject, as JSON, so that different
 * lanes have different keys.
 */
export function laneOf({ spaceId, source, subject }: SinkEvent): string {
  return JSON.stringify(subject === null ? [spaceId, source] : [spaceId, source, subject]);
}
