import { hash } from 'node:crypto';
import type { OutgoingEvent } from '../publishing/outgoing.ts';

/** What stands for a value of the event in a subject's template. */
const PLACEHOLDER = /\{(spaceId|type|source)\}/g;
/** Everything else is escaped: dots and wildcards mean something in a subject, and spaces end it. */
const UNSAFE = /[^A-Za-z0-9_-]/gu;
/** A server closes the connection of a client whose command is longer than 4 KiB, and subjects stand in it. */
const LONGEST_TOKEN = 200;
const KEPT_OF_LONG = 100;

/**
 * The subject of an event: the template with each placeholder replaced by one token, whatever the sender
 * wrote: letters, digits, `_` and `-` stand as they are, every other character as its UTF-8 bytes, `%2E`. A
 * token of more than 200 characters is cut off and ends with `~` and a digest of the whole value.
 */
export function subjectOf(template: string, event: OutgoingEvent): string {
  return template.replace(PLACEHOLDER, (_, name: 'spaceId' | 'type' | 'source') =>
    tokenOf(event[name]),
  );
}

function tokenOf(value: string): string {
  const token = value.replace(UNSAFE, toPercent);
  if (token.length <= LONGEST_TOKEN) return token;
  return `${token.slice(0, KEPT_OF_LONG)}~${hash('sha256', value, 'hex').slice(0, 32)}`;
}

function toPercent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
