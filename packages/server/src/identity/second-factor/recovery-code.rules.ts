import { randomBytes } from 'node:crypto';
import { RECOVERY_CODES } from '@gatehouse/contract';
import { tokenHash } from '../access/credential.rules.ts';

/** Crockford's Base32: no letter looks like a digit. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;
const GROUP = /.{4}(?=.)/g;

/** Returns new recovery codes of 80 random bits, such as `k3vd-8q2p-x7mh-4wzt`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
    return letters.join('').replaceAll(GROUP, '$&-');
  });
}

/** Returns the hash of a code as a person types it: in any case, with or without hyphens. */
export function recoveryCodeHash(text: string): string {
  const letters = text.toLowerCase().replaceAll(/[\s-]/g, '');
  return tokenHash(letters.replaceAll('o', '0').replaceAll(/[il]/g, '1'));
}
