import {
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** How far the time of a signature may be off, either way; Standard Webhooks leaves the number open. */
export const TOLERANCE_SECONDS = 300;
/** More in one place are refused. */
export const MAX_SIGNATURES = 256;

const FORM = /^v1,([A-Za-z0-9+/]{43}=)$/;
const SECONDS = /^(?:0|[1-9][0-9]{0,11})$/;
/** As many as a source can have at a time. */
const KEYS_TRIED = 2;
const DECOY = createSecretKey(randomBytes(32));

/** What is signed, one part behind the other. */
export type SignedParts = readonly (string | Uint8Array)[];
export type Hmac = (key: KeyObject, parts: SignedParts) => Buffer;

/**
 * The signatures in a text: `v1,` and the base64 of 32 bytes each, separated by spaces (Standard
 * Webhooks, "Webhook headers"). Those of other versions are passed over.
 *
 * @returns null when there is none, or more than `MAX_SIGNATURES`.
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
  'must be v1, and the base64 of an HMAC-SHA256, several of them separated by spaces';

/**
 * What is wrong with the time of a signature; null when nothing is.
 *
 * @param text Unix seconds.
 * @param now Unix milliseconds.
 */
export function timestampFault(text: string, now: number): string | null {
  if (!SECONDS.test(text)) return 'must be Unix seconds, such as 1792318200';
  const behind = Math.floor(now / 1000) - Number(text);
  if (Math.abs(behind) <= TOLERANCE_SECONDS) return null;
  const off = `${Math.abs(behind)} seconds ${behind > 0 ? 'behind' : 'ahead of'} the clock here`;
  return `is ${off}, and at most ${TOLERANCE_SECONDS} are allowed; check the sender's clock, and sign anew for each try`;
}

/** The signature that a key makes. */
export function sign(parts: SignedParts, key: KeyObject): string {
  return `v1,${hmacSha256(key, parts).toString('base64')}`;
}

/**
 * Whether any of the keys has made any of the signatures. What is done depends neither on which one
 * did, nor on whether there is any key at all, so the time it takes says nothing of a signature.
 */
export function isSigned(
  parts: SignedParts,
  signatures: readonly Buffer[],
  keys: readonly KeyObject[],
  hmac: Hmac = hmacSha256,
): boolean {
  let found = 0;
  for (let at = 0; at < Math.max(KEYS_TRIED, keys.length); at++) {
    const key = keys[at];
    const made = hmac(key ?? DECOY, parts);
    let equal = 0;
    for (const signature of signatures) equal |= Number(timingSafeEqual(made, signature));
    found |= equal & Number(key !== undefined);
  }
  return found === 1;
}

function hmacSha256(key: KeyObject, parts: SignedParts): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}
