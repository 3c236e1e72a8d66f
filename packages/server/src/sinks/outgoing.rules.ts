import { identityOf } from '../events/index.ts';
import { parse } from '../json/index.ts';
import type { OutgoingEvent } from '../ports/event-sink.ts';

/** What a sink is given of an accepted event: its text, and the attributes by which it is sent. */
export function toOutgoing(spaceId: string, text: string): OutgoingEvent {
  // Every accepted event has these, as strings; a subject may be null in CloudEvents' JSON.
  const { id, source, type, subject } = parse(text) as {
    id: string;
    source: string;
    type: string;
    subject?: string | null;
  };
  const identity = Buffer.from(identityOf(spaceId, source, id), 'latin1').toString('hex');
  return { spaceId, text, id, source, type, subject: subject ?? null, identity };
}
