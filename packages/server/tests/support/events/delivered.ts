import assert from 'node:assert/strict';
import type { SentEvent } from './events.ts';
import type { Receiver } from './receiver.ts';

/** Groups events by lane. A lane consists of all events with the same source and subject. */
export function lanesOf(feed: readonly SentEvent[]): SentEvent[][] {
  const laneOf = ({ source, subject }: SentEvent) => JSON.stringify([source, subject]);
  return [...Map.groupBy(feed, laneOf).values()];
}

/**
 * Asserts that every event was delivered, and that each event was sent only after all earlier events of its lane had
 * been delivered.
 */
export function assertDelivered(receiver: Receiver, feed: readonly SentEvent[]): void {
  const previousIds = new Map<unknown, unknown>();
  for (const events of lanesOf(feed))
    for (const [index, event] of events.entries())
      previousIds.set(event['id'], events[index - 1]?.['id']);
  const delivered = new Set<unknown>();
  // The receiver records a request on arrival and responds before the next request of the lane can arrive.
  for (const { event, status } of receiver.received) {
    const { id } = event;
    assert.ok(previousIds.has(id), 'an event was sent that is not in the feed');
    const previous = previousIds.get(id);
    assert.ok(previous === undefined || delivered.has(previous), 'an event overtook another');
    if (status === 200) delivered.add(id);
  }
  assert.deepEqual(
    feed.filter(({ id }) => !delivered.has(id)),
    [],
    'an event was not delivered',
  );
}
