import {
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Maximum clock difference in either direction. Standard Webhooks does not specify a number. */
export const TOLERANCE_SECONDS = 300;
export const MAX_SIGNATURES = 256;

const FORM = /^v1,([A-Za-z0-9+/]{43}=)$/;
const SECONDS = /^(?:0|[1-9][0-9]{0,11})$/;
const MAX_KEYS = 2;
const DECOY = createSecretKey(randomBytes(32));

/** The parts whose concatenation is signed. */
export type SignedParts = readonly (string | Uint8Array)[];
export type Hmac = (key: KeyObject, parts: SignedParts) => Buffer;

/**
 * Parses signatures separated by spaces, each `v1,` and the base64 of 32 bytes (Standard Webhooks, "Webhook headers").
 * Ignores signatures of other versions.
 *
 * @returns `null` if the text has no well-formed signature, or more than `MAX_SIGNATURES` signatures.
 */
export function readSignatures(text: string): readonly Buffer[] | null {
  const given = text.split(' ', MAX_SIGNATURES + 1);
  if (given.length > MAX_SIGNATURES) return null;
  const signatures = given.flatMap((one) => {
    const base64 = FORM.exec(one)?.[1];
    return base64 === undefined ? [] : [Buffer.from(base64, 'base64')];
  });
  return signatures.length === 0 ? null : signatures;
}

export const SIGNATURE_FORM =
  'must be "v1," followed by the base64 of an HMAC-SHA256; separate several signatures with spaces';

/**
 * Returns the problem with the timestamp of a signature, or `null` if it is valid.
 *
 * @param text Unix seconds.
 * @param now Unix milliseconds.
 */
export function timestampProblem(text: string, now: number): string | null {
  if (!SECONDS.test(text)) return 'must be Unix seconds, such as 1792318200';
  const behind = Math.floor(now / 1000) - Number(text);
  if (Math.abs(behind) <= TOLERANCE_SECONDS) return null;
  const off = `${Math.abs(behind)} seconds ${behind > 0 ? 'behind' : 'ahead of'} the server's clock`;
  return `is ${off}, but at most ${TOLERANCE_SECONDS} are allowed; check the sender's clock and sign every retry again`;
}

export function sign(parts: SignedParts, key: KeyObject): string {
  return `v1,${hmacSha256(key, parts).toString('base64')}`;
}

/**
 * Reports whether at least one signature was made with one of the keys. The amount of work is the same whichever key
 * matches, and even without keys, so the duration reveals nothing about the keys.
 *
 * @example
 * isSigned([`${id}.${timestamp}.`, body], readSignatures(header) ?? [], source.keys());
 */
export function isSigned(
  parts: SignedParts,
  signatures: readonly Buffer[],
  keys: readonly KeyObject[],
  hmac: Hmac = hmacSha256,
): boolean {
  let found = 0;
  for (let at = 0; at < Math.max(MAX_KEYS, keys.length); at++) {
    const key = keys[at];
    const expected = hmac(key ?? DECOY, parts);
    let equal = 0;
    for (const signature of signatures) equal |= Number(timingSafeEqual(expected, signature));
    found |= equal & Number(key !== undefined);
  }
  return found === 1;
}

function hmacSha256(key: KeyObject, parts: SignedParts): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}
