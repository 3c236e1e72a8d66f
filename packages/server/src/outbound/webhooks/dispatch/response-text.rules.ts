import type { ResponseStart } from '../sending/webhook-sender.ts';
import type { SigningKey } from './message.rules.ts';

/** Maximum size of a recorded response, in bytes of UTF-8. */
export const MAX_RESPONSE_BYTES = 1024;
const REDACTED = '[redacted]';
/** Longer than a signing secret or a signature in any notation. */
const MAX_SECRET_LENGTH = 256;
/** Secrets of any receiver: signing secrets, signatures, and the values of `Authorization` headers. */
const PATTERNS = [
  /whsec_[\w+/=%\\-]+/gi,
  /\bv1a?,[\w+/=%\\-]{40,}/g,
  /(?<=\b(?:proxy-)?authorization\\?["']?\s*[:=]\s*\\?["']?)[^\s"'\\<>,;][^\r\n"'\\<>,;]*/gi,
  /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
] as const;

/**
 * Creates a function that returns the recorded text of a response: its first kilobyte as UTF-8, without the secrets that
 * the target may have echoed.
 *
 * @param keys signing keys of the subscription.
 */
export function createResponseText(
  keys: readonly SigningKey[],
): (response: ResponseStart) => string | null {
  const own = keys.map(({ key }) => patternOf(key.export().toString('base64')));
  return ({ bytes, isCut }) => {
    let text = new TextDecoder().decode(bytes);
    for (const pattern of [...PATTERNS, ...own]) text = text.replace(pattern, REDACTED);
    // A secret at the cut is incomplete, so it matches no pattern.
    if (isCut) text = text.slice(0, -MAX_SECRET_LENGTH);
    return text === '' ? null : firstBytes(text);
  };
}

/** Matches a base64 text in JSON, in a URL and in base64url. */
function patternOf(base64: string): RegExp {
  const text = base64
    .replace(/=+$/, '')
    .replaceAll('+', '(?:[+-]|%2B)')
    .replaceAll('/', '(?:\\\\?/|_|%2F)');
  return new RegExp(`${text}(?:=|%3D)*`, 'gi');
}

function firstBytes(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MAX_RESPONSE_BYTES) return text;
  // In stream mode the decoder omits an incomplete character at the end.
  return new TextDecoder().decode(bytes.subarray(0, MAX_RESPONSE_BYTES), { stream: true });
}
