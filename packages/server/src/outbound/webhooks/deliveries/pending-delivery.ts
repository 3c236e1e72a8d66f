import { parse } from '../../../lib/json/index.ts';
import type { DeliveryRow, StoredEvent } from '../../../storage/ports/index.ts';
import type { Attempt } from './attempt-log.ts';

/** A delivery that is waiting or parked. Times are Unix milliseconds. */
export interface PendingDelivery {
  readonly position: number;
  readonly receivedAt: number;
  readonly eventId: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string | null;
  /** Size of the event text in UTF-8. */
  readonly bytes: number;
  readonly key: string;
  /** `true` if a replay created the delivery in this process. */
  readonly isReplayed: boolean;
  /** Number of times the delivery was resent after it was parked. Starts at 1 if a replay created the delivery. */
  readonly resent: number;
  /** Text of the event. `null` if the text must be read from the row. */
  text: string | null;
  /** Attempts. `null` if they must be read from the row. */
  log: readonly Attempt[] | null;
  /** `unsaved`: the row may not be stored yet. A write that failed may still have stored it. */
  row: 'none' | 'unsaved' | 'stored';
  state: 'waiting' | 'parked';
  attempts: number;
  waitingSince: number;
  nextAttemptAt: number;
  /**
   * Times of the next attempt that this process may have stored in the row: several if a write failed. If the row contains
   * another time, a user has rescheduled the delivery.
   */
  storedTimes: readonly number[];
  /** Earliest time of the next attempt according to `Retry-After`. */
  notBefore: number;
  lastAttemptAt: number | null;
  lastStatus: number | null;
  lastFailure: string | null;
  /** `true` if the delivery was deleted while an attempt was in flight. */
  deleted: boolean;
}

export type StoredDelivery = Omit<
  DeliveryRow,
  'text' | 'attempt_log' | 'space_id' | 'subscription_id'
>;

/** A stored delivery with its attempt log, as it is shown. */
export type LoggedDelivery = StoredDelivery & Pick<DeliveryRow, 'attempt_log'>;

export function newDelivery({ position, receivedAt, text }: StoredEvent): PendingDelivery {
  const event = parse(text) as Readonly<Record<string, unknown>>;
  const source = String(event['source']);
  const subject = typeof event['subject'] === 'string' ? event['subject'] : null;
  return {
    position,
    receivedAt,
    eventId: String(event['id']),
    source,
    type: String(event['type']),
    subject,
    bytes: Buffer.byteLength(text),
    key: laneKey(source, subject, 0),
    isReplayed: false,
    resent: 0,
    text,
    log: [],
    row: 'none',
    state: 'waiting',
    attempts: 0,
    waitingSince: 0,
    nextAttemptAt: 0,
    storedTimes: [],
    notBefore: 0,
    lastAttemptAt: null,
    lastStatus: null,
    lastFailure: null,
    deleted: false,
  };
}

/** Creates a delivery of an event that the subscription has already processed. */
export function newReplayedDelivery(event: StoredEvent): PendingDelivery {
  const item = newDelivery(event);
  const key = JSON.stringify([item.source, item.subject, 'replay']);
  return { ...item, key, isReplayed: true, resent: 1 };
}

export function fromRow(row: StoredDelivery): PendingDelivery {
  return {
    position: row.position,
    receivedAt: row.received_at,
    eventId: row.event_id,
    source: row.source,
    type: row.type,
    subject: row.subject,
    bytes: row.bytes,
    key: laneKey(row.source, row.subject, row.resent),
    isReplayed: false,
    resent: row.resent,
    text: null,
    log: null,
    row: 'stored',
    state: row.state,
    attempts: row.attempts,
    waitingSince: row.waiting_since,
    nextAttemptAt: row.next_attempt_at,
    storedTimes: [row.next_attempt_at],
    notBefore: 0,
    lastAttemptAt: row.last_attempt_at,
    lastStatus: row.last_status,
    lastFailure: row.last_failure,
    deleted: false,
  };
}

/**
 * Returns the key of a lane. Deliveries of one lane, which share source and subject, are sent in order. Resent
 * deliveries have separate lanes because they are no longer in order and must not delay other deliveries.
 */
function laneKey(source: string, subject: string | null, resent: number): string {
  return JSON.stringify(resent > 0 ? [source, subject, 'again'] : [source, subject]);
}
