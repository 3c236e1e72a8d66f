import { hash } from 'node:crypto';
import type { SinkEvent } from '../event-sink.ts';

const PLACEHOLDER = /\{(spaceId|type|source)\}/g;
/** Characters to escape: dots and wildcards have a meaning in a subject, and spaces end it. */
const UNSAFE = /[^A-Za-z0-9_-]/gu;
/** A server closes the connection after a command of more than 4 KiB, which includes the subject. */
const LONGEST_TOKEN = 200;
const KEPT_OF_LONG = 100;

/**
 * Returns the subject of an event: the template with each placeholder replaced by exactly one token. Characters other
 * than letters, digits, `_` and `-` are percent-encoded. A token of more than 200 characters is truncated and ends with
 * `~` and a digest of the whole value.
 */
export function subjectOf(template: string, event: SinkEvent): string {
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
