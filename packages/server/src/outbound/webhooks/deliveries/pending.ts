import { parse } from '../../../lib/json/index.ts';
import type { DeliveryRow, StoredEvent } from '../../../storage/ports/index.ts';

/** What is known of an event without its text. */
export interface EventFacts {
  /** In its space's feed. */
  readonly position: number;
  readonly receivedAt: number;
  readonly eventId: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string | null;
  /** Of its text, UTF-8. */
  readonly bytes: number;
}

/** A delivery that is not done; times are Unix milliseconds. */
export interface PendingDelivery extends EventFacts {
  /** Of its lane. */
  readonly key: string;
  /** How often it was parked before. */
  readonly resent: number;
  /** Null: it stands in the row. */
  text: string | null;
  /** `wanted`: it is to have a row, and may have one already. */
  row: 'none' | 'wanted' | 'kept';
  state: 'waiting' | 'parked';
  attempts: number;
  waitingSince: number;
  nextAttemptAt: number;
  /** As its target asked for. */
  notBefore: number;
  lastAttemptAt: number | null;
  lastStatus: number | null;
  lastFailure: string | null;
  /** Somebody deleted it while it was under way. */
  dropped: boolean;
}

/** A row without the event's text. */
export type KeptDelivery = Omit<DeliveryRow, 'text' | 'space_id' | 'subscription_id'>;

export function factsOf({ position, receivedAt, text }: StoredEvent): EventFacts {
  const event = parse(text) as Readonly<Record<string, unknown>>;
  const { id, source, type, subject } = event;
  return {
    position,
    receivedAt,
    eventId: String(id),
    source: String(source),
    type: String(type),
    subject: typeof subject === 'string' ? subject : null,
    bytes: Buffer.byteLength(text),
  };
}

/** An event that was never tried. */
export function newDelivery(facts: EventFacts, text: string): PendingDelivery {
  return {
    ...facts,
    key: keyOf(facts.source, facts.subject, 0),
    resent: 0,
    text,
    row: 'none',
    state: 'waiting',
    attempts: 0,
    waitingSince: 0,
    nextAttemptAt: 0,
    notBefore: 0,
    lastAttemptAt: null,
    lastStatus: null,
    lastFailure: null,
    dropped: false,
  };
}

export function fromRow(row: KeptDelivery): PendingDelivery {
  const { resent } = row;
  return {
    position: row.position,
    receivedAt: row.received_at,
    eventId: row.event_id,
    source: row.source,
    type: row.type,
    subject: row.subject,
    bytes: row.bytes,
    key: keyOf(row.source, row.subject, resent),
    resent,
    text: null,
    row: 'kept',
    state: row.state,
    attempts: row.attempts,
    waitingSince: row.waiting_since,
    nextAttemptAt: row.next_attempt_at,
    notBefore: 0,
    lastAttemptAt: row.last_attempt_at,
    lastStatus: row.last_status,
    lastFailure: row.last_failure,
    dropped: false,
  };
}

/**
 * What is the same for deliveries that keep their order: source and subject, as JSON, so that no two pairs
 * look alike. Those that are sent again have lanes of their own: their place is lost, and they hold nothing back.
 */
function keyOf(source: string, subject: string | null, resent: number): string {
  return JSON.stringify(resent > 0 ? [source, subject, 'again'] : [source, subject]);
}
