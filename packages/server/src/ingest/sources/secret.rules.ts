import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const MADE_BYTES = 32;
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** Generates a signing secret: `whsec_` and 32 random bytes in base64 (Standard Webhooks, "Signature scheme"). */
export function newSecretText(): string {
  return PREFIX + randomBytes(MADE_BYTES).toString('base64');
}

/** Returns the problem with a secret, or `null` if it is valid. The problem does not contain the secret. */
export function secretProblem(text: string): string | null {
  const problem = `must be whsec_ followed by ${MIN_BYTES} to ${MAX_BYTES} bytes in base64; generate them with: openssl rand -base64 32`;
  if (!text.startsWith(PREFIX)) return problem;
  const bytes = bytesOf(text);
  // Buffer.from ignores invalid characters, so encode the bytes again and compare.
  if (bytes.toString('base64') !== text.slice(PREFIX.length)) return problem;
  return bytes.length < MIN_BYTES || bytes.length > MAX_BYTES ? problem : null;
}

/** @param text a secret for which `secretProblem` returns `null`. */
export function toKey(text: string): KeyObject {
  return createSecretKey(bytesOf(text));
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(PREFIX.length), 'base64');
}
