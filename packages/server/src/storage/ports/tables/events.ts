import type { Generated } from 'kysely';

export interface EventSourceRow {
  id: string;
  space_id: string;
  name: string;
  source: string;
  match: 'exact' | 'prefix';
  signature_required: number;
  feeds_knowledge: Generated<number>;
  created_at: number;
}

export interface EventSourceSecretRow {
  id: string;
  space_id: string;
  source_id: string;
  sealed: string;
  created_at: number;
  /** Time until which signatures with this secret are accepted. Null for the current secret. */
  ends_at: number | null;
}

/** A durable consumer that started at the newest events instead of the oldest. */
export interface EventConsumerRow {
  name: string;
  created_at: number;
}

export interface EventCursorRow {
  space_id: string;
  consumer: string;
  /** Position of the last processed event. */
  position: number;
  updated_at: number;
}

export interface SubscriptionRow {
  id: string;
  space_id: string;
  url: string;
  /** JSON array of patterns. Null matches all types. */
  types: string | null;
  /** JSON array of patterns. Null matches all sources. */
  sources: string | null;
  state: 'active' | 'disabled' | 'ended';
  end_reason: string | null;
  /** JSON array of `{ sealed, createdAt, endsAt }`. The current secret is first. */
  secrets: string;
  /** Incremented by every change of the subscription. The dispatcher then reloads the subscription. */
  revision: number;
  /** Incremented when a user resends or deletes deliveries. The dispatcher then reloads the deliveries. */
  deliveries_revision: number;
  /** Checkpoint: each event up to this position was delivered, does not match, or has a row in `deliveries`. */
  position: number;
  last_delivered_at: number | null;
  last_failed_at: number | null;
  last_failed_status: number | null;
  last_failure: string | null;
  created_at: number;
  /** Number of replays that were started. Identifies the replay in the columns below. */
  replay_number: number;
  /** Earliest time of receipt of the replayed events. All columns of the replay are null before the first replay. */
  replay_from: number | null;
  /** Each event of the replay up to this position was delivered, does not match, or has a row in `deliveries`. */
  replay_position: number | null;
  /** Last position of the replay. */
  replay_through: number | null;
  replay_started_at: number | null;
  replay_ended_at: number | null;
  replay_state: 'running' | 'finished' | 'cancelled' | null;
}

/** An event that was not delivered immediately. */
export interface DeliveryRow {
  space_id: string;
  subscription_id: string;
  /** Position of the event in the log of its space. */
  position: number;
  state: 'waiting' | 'parked';
  /** Number of times a user resent this delivery after it was parked. */
  resent: number;
  event_id: string;
  source: string;
  type: string;
  subject: string | null;
  text: string;
  bytes: number;
  received_at: number;
  waiting_since: number;
  next_attempt_at: number;
  attempts: number;
  last_attempt_at: number | null;
  last_status: number | null;
  last_failure: string | null;
  /** JSON array of the newest attempts, oldest first. */
  attempt_log: string;
}

/** A delivery that the target answered with a 2xx status. */
export interface SuccessfulDeliveryRow {
  space_id: string;
  subscription_id: string;
  /** Time of the delivery in thousandths of a millisecond, made unique. */
  sequence: number;
  position: number;
  event_id: string;
  source: string;
  type: string;
  subject: string | null;
  received_at: number;
  waiting_since: number;
  delivered_at: number;
  attempts: number;
  status: number;
  /** Size of the strings in this row, in characters. */
  bytes: number;
  attempt_log: string;
}

/** An event or a request that was rejected. */
export interface RejectedEventRow {
  space_id: string;
  /** UUIDv7, which orders the rows by time. */
  id: string;
  at: number;
  kind: 'event' | 'request';
  reason: string;
  /** JSON object with the remaining members of the item. */
  details: string;
}

export interface EventTables {
  event_sources: EventSourceRow;
  event_source_secrets: EventSourceSecretRow;
  event_consumers: EventConsumerRow;
  event_cursors: EventCursorRow;
  subscriptions: SubscriptionRow;
  deliveries: DeliveryRow;
  successful_deliveries: SuccessfulDeliveryRow;
  rejected_events: RejectedEventRow;
}
