import { createHmac } from 'node:crypto';

const STEP_MS = 30_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Returns the code that an authenticator app shows (RFC 6238). It is computed here from the Base32 text, independently of the library
 * that the service uses.
 */
export function codeAt(secret: string, now: number): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(now / STEP_MS)));
  const digest = createHmac('sha1', key).update(step).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Returns a code that is wrong at this time. */
export function wrongCodeAt(secret: string, now: number): string {
  const correct = [-1, 0, 1].map((steps) => codeAt(secret, now + steps * STEP_MS));
  return ['000000', '000001', '000002', '000003'].find((code) => !correct.includes(code)) ?? '';
}
