import { hash } from 'node:crypto';
import type { SinkEvent } from '../event-sink.ts';

const PLACEHOLDER = /\{(spaceId|type|source)\}/g;
const UNSAFE = /[^A-Za-z0-9_-]/gu;
/** A server closes the connection if a command exceeds 4 KiB. A command includes the subject. */
const MAX_TOKEN_LENGTH = 200;
const TRUNCATED_LENGTH = 100;

/**
 * Returns the subject of an event. Each placeholder of the template becomes exactly one token. Characters other than
 * ASCII letters, digits, `_` and `-` are percent-encoded. A token of more than 200 characters is truncated and ends
 * with `~` and a digest of the whole value.
 *
 * @example
 * subjectOf('events.{spaceId}.{type}', event); // 'events.0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40.order%2Epaid'
 */
export function subjectOf(template: string, event: SinkEvent): string {
  return template.replace(PLACEHOLDER, (_, name: 'spaceId' | 'type' | 'source') =>
    tokenOf(event[name]),
  );
}

function tokenOf(value: string): string {
  const token = value.replace(UNSAFE, toPercent);
  if (token.length <= MAX_TOKEN_LENGTH) return token;
  return `${token.slice(0, TRUNCATED_LENGTH)}~${hash('sha256', value, 'hex').slice(0, 32)}`;
}

function toPercent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
