import { numbered, type SentEvent } from '../../ports/event-batch.suite.ts';

export const EVENTS_PER_BATCH = 60;

/** The events of the batch of this name. */
export function eventsOfBatch(name: string): SentEvent[] {
  return numbered(1, EVENTS_PER_BATCH, `${name}.`);
}
