import { numbered, type SentEvent } from '../../ports/event-batch.suite.ts';

export const EVENTS_PER_BATCH = 60;

export function eventsOfBatch(name: string): SentEvent[] {
  return numbered(1, EVENTS_PER_BATCH, `${name}.`);
}
