import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const MADE_BYTES = 32;
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** A new signing secret: `whsec_` and 32 random bytes in base64 (Standard Webhooks, "Signature scheme"). */
export function newSecretText(): string {
  return PREFIX + randomBytes(MADE_BYTES).toString('base64');
}

/** What is wrong with a secret that was given; null when nothing is. Shows nothing of it. */
export function secretFault(text: string): string | null {
  const problem = `must be whsec_ and then ${MIN_BYTES} to ${MAX_BYTES} bytes in base64, such as from: openssl rand -base64 32`;
  if (!text.startsWith(PREFIX)) return problem;
  const bytes = bytesOf(text);
  // Decoding is lenient, so what was decoded must be what stands there.
  if (bytes.toString('base64') !== text.slice(PREFIX.length)) return problem;
  return bytes.length < MIN_BYTES || bytes.length > MAX_BYTES ? problem : null;
}

/** @param text one in which `secretFault` finds nothing. */
export function toKey(text: string): KeyObject {
  return createSecretKey(bytesOf(text));
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(PREFIX.length), 'base64');
}
