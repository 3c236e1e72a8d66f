import { parse } from '../../../lib/json/index.ts';
import { identityOf } from '../../../storage/ports/index.ts';

/** An event on its way to a broker. */
export interface OutgoingEvent {
  readonly spaceId: string;
  /** Its JSON text as it was sent. */
  readonly text: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** Null when it has none. */
  readonly subject: string | null;
}

/** An accepted event with the attributes by which it is sent. */
export function toOutgoing(spaceId: string, text: string): OutgoingEvent {
  // Every accepted event has these, as strings; a subject may be null in CloudEvents' JSON.
  const { id, source, type, subject } = parse(text) as {
    id: string;
    source: string;
    type: string;
    subject?: string | null;
  };
  return { spaceId, text, id, source, type, subject: subject ?? null };
}

/** 32 hexadecimal digits: the same for one (space, source, id), and others for any other. */
export function messageIdOf({ spaceId, source, id }: OutgoingEvent): string {
  return Buffer.from(identityOf(spaceId, source, id), 'latin1').toString('hex');
}

/**
 * What events must share to be kept in order, and to be published by one key: a JSON array of space, source
 * and, where there is one, subject. Two different ones are two different texts, which values joined by any
 * separator would not be.
 */
export function laneOf({ spaceId, source, subject }: OutgoingEvent): string {
  return JSON.stringify(subject === null ? [spaceId, source] : [spaceId, source, subject]);
}
