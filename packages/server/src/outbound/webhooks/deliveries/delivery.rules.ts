import type { Delivery } from '@gatehouse/contract';
import { toTime } from '../../../lib/scheduling/index.ts';
import { formatAttempts } from './attempt-log.ts';
import type { SubscriptionKey } from './delivery.repository.ts';
import type { LoggedDelivery } from './pending-delivery.ts';
import type { SuccessfulDelivery } from './successful-delivery.ts';

/** Decrypts a response of the attempt log. `null`: the caller may not see responses. */
export type OpenResponse = ((sealed: string) => string | null) | null;

/** Returns the encryption context of the responses of a subscription. */
export function responseContext({ spaceId, subscriptionId }: SubscriptionKey): string {
  return `${spaceId}/${subscriptionId}/response`;
}

/** Returns the ID that every attempt sends as `webhook-id`. It contains no dot because dots separate the signed parts. */
export function deliveryId(subscriptionId: string, position: number): string {
  return `msg_${subscriptionId.replaceAll('-', '')}_${position}`;
}

/** Returns the event position in a delivery ID, or `null` if the ID does not belong to this subscription. */
export function positionOf(id: string, subscriptionId: string): number | null {
  const position = Number(/^msg_[0-9a-f]{32}_([1-9]\d{0,15})$/.exec(id)?.[1]);
  return deliveryId(subscriptionId, position) === id ? position : null;
}

/** Returns the cursor after a successful delivery. Other deliveries are listed by position, so their cursors are numbers. */
export function deliveredCursor({ sequence }: Pick<SuccessfulDelivery, 'sequence'>): string {
  return `s${sequence}`;
}

export function formatDelivery(
  subscriptionId: string,
  row: LoggedDelivery,
  open: OpenResponse,
): Delivery {
  return {
    id: deliveryId(subscriptionId, row.position),
    state: row.state,
    eventId: row.event_id,
    source: row.source,
    type: row.type,
    subject: row.subject,
    receivedAt: toTime(row.received_at),
    attempts: row.attempts,
    waitingSince: toTime(row.waiting_since),
    nextAttemptAt: row.state === 'parked' ? null : toTime(row.next_attempt_at),
    lastAttemptAt: toTime(row.last_attempt_at),
    status: row.last_status,
    failure: row.last_failure,
    deliveredAt: null,
    attemptLog: formatAttempts(row.attempt_log, open),
  };
}

export function formatSuccessful(
  subscriptionId: string,
  row: SuccessfulDelivery,
  open: OpenResponse,
): Delivery {
  const attemptLog = formatAttempts(row.attempt_log, open);
  return {
    id: deliveryId(subscriptionId, row.position),
    state: 'delivered',
    eventId: row.event_id,
    source: row.source,
    type: row.type,
    subject: row.subject,
    receivedAt: toTime(row.received_at),
    attempts: row.attempts,
    waitingSince: toTime(row.waiting_since),
    nextAttemptAt: null,
    lastAttemptAt: attemptLog.at(-1)?.at ?? null,
    status: row.status,
    failure: null,
    deliveredAt: toTime(row.delivered_at),
    attemptLog,
  };
}
