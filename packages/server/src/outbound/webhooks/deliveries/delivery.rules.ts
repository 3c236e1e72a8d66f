import type { Delivery } from '@gatehouse/contract';
import type { KeptDelivery } from './pending.ts';

/**
 * A delivery's id, which every attempt carries as `webhook-id`: the subscription and the place of the event, so
 * that it is the same whenever and however often it is sent. No dot, since dots separate what is signed.
 */
export function deliveryId(subscriptionId: string, position: number): string {
  return `msg_${subscriptionId.replaceAll('-', '')}_${position}`;
}

/** The place of the event; null for what is no id of this subscription's deliveries. */
export function positionOf(id: string, subscriptionId: string): number | null {
  const position = Number(/^msg_[0-9a-f]{32}_([1-9]\d{0,15})$/.exec(id)?.[1]);
  return deliveryId(subscriptionId, position) === id ? position : null;
}

/** A delivery as everybody outside sees it. */
export function formatDelivery(subscriptionId: string, row: KeptDelivery): Delivery {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: deliveryId(subscriptionId, row.position),
    state: row.state,
    eventId: row.event_id,
    source: row.source,
    type: row.type,
    subject: row.subject,
    receivedAt: new Date(row.received_at).toISOString(),
    attempts: row.attempts,
    waitingSince: new Date(row.waiting_since).toISOString(),
    nextAttemptAt: row.state === 'parked' ? null : time(row.next_attempt_at),
    lastAttemptAt: time(row.last_attempt_at),
    status: row.last_status,
    failure: row.last_failure,
  };
}
