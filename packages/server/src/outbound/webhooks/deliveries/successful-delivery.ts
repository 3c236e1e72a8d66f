import type { SuccessfulDeliveryRow } from '../../../storage/ports/index.ts';
import { type Attempt, toText } from './attempt-log.ts';
import type { PendingDelivery } from './pending-delivery.ts';

export type SuccessfulDelivery = Omit<SuccessfulDeliveryRow, 'space_id' | 'subscription_id'>;

/** Maximum number of entries in memory. */
const MAX_UNSAVED = 2000;
/** Maximum number of entries per checkpoint. Limits the writes of one subscription to about 1,000 rows per second. */
const MAX_PER_CHECKPOINT = 200;

/**
 * The successful deliveries of one subscription that are not stored yet. If a target accepts more deliveries than
 * checkpoints may store, entries are dropped before they cost time.
 */
export class UnsavedDeliveries {
  #entries: SuccessfulDelivery[] = [];
  #lastSequence = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** @param now time of the response in Unix milliseconds. */
  add(item: PendingDelivery, log: readonly Attempt[], status: number, now: number): void {
    if (this.#entries.length >= MAX_UNSAVED) return;
    // The sequence orders the entries by time, also across restarts.
    this.#lastSequence = Math.max(this.#lastSequence + 1, Math.round(now) * 1000);
    const text = toText(log);
    const { eventId, source, type, subject } = item;
    this.#entries.push({
      sequence: this.#lastSequence,
      position: item.position,
      event_id: eventId,
      source,
      type,
      subject,
      received_at: item.receivedAt,
      waiting_since: item.row === 'none' ? (log.at(-1)?.at ?? now) : item.waitingSince,
      delivered_at: Math.round(now),
      attempts: item.attempts + 1,
      status,
      bytes: eventId.length + source.length + type.length + (subject ?? '').length + text.length,
      attempt_log: text,
    });
  }

  /** Returns the entries for the next checkpoint. */
  next(): readonly SuccessfulDelivery[] {
    return this.#entries.slice(0, MAX_PER_CHECKPOINT);
  }

  /** Must be called after a checkpoint is stored. */
  onSaved(saved: readonly SuccessfulDelivery[]): void {
    const last = saved.at(-1)?.sequence ?? 0;
    this.#entries = this.#entries.filter(({ sequence }) => sequence > last);
  }
}
