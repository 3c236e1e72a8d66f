import assert from 'node:assert/strict';
import type { SentEvent } from './events.ts';
import type { Receiver } from './receiver.ts';

/** An event belongs to a lane by its source and its subject. */
export function lanesOf(feed: readonly SentEvent[]): SentEvent[][] {
  const laneOf = ({ source, subject }: SentEvent) => JSON.stringify([source, subject]);
  return [...Map.groupBy(feed, laneOf).values()];
}

/** That every event of the feed was taken, and none was sent before all those before it in its lane were. */
export function assertDelivered(receiver: Receiver, feed: readonly SentEvent[]): void {
  const before = new Map<unknown, unknown>();
  for (const events of lanesOf(feed))
    for (const [at, event] of events.entries()) before.set(event['id'], events[at - 1]?.['id']);
  const taken = new Set<unknown>();
  // A request is noted when it comes, and an answer is given before the next request of its lane can come.
  for (const { event, status } of receiver.received) {
    const { id } = event;
    assert.ok(before.has(id), 'an event that is not in the feed was sent');
    const previous = before.get(id);
    assert.ok(previous === undefined || taken.has(previous), 'an event overtook another');
    if (status === 200) taken.add(id);
  }
  assert.deepEqual(
    feed.filter(({ id }) => !taken.has(id)),
    [],
    'an event did not arrive',
  );
}
