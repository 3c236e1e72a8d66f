import type { OutgoingEvent } from '../../ports/event-sink.ts';

/**
 * What events must share to be kept in order, and to be published by one key: a JSON array of space, source
 * and, where there is one, subject. Two different ones are two different texts, which values joined by any
 * separator would not be.
 */
export function laneOf({ spaceId, source, subject }: OutgoingEvent): string {
  return JSON.stringify(subject === null ? [spaceId, source] : [spaceId, source, subject]);
}

/** The places of the events of each lane, in order. */
export function lanesOf(events: readonly OutgoingEvent[]): ReadonlyMap<string, readonly number[]> {
  return Map.groupBy(events.keys(), (place) => laneOf(events[place] as OutgoingEvent));
}
