import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** Returns the pseudonym of a person in a space. Without the secret, nobody can test which person it belongs to. */
export type Pseudonyms = (spaceId: string, sub: string) => string;

/** Creates the function that replaces a `sub` where a record must not contain it. HKDF derives its key from the secret. */
export function createPseudonyms(secret: Buffer): Pseudonyms {
  const key = createSecretKey(
    Buffer.from(hkdfSync('sha256', secret, '', 'gatehouse pseudonyms', KEY_BYTES)),
  );
  return (spaceId, sub) =>
    createHmac('sha256', key).update(`${spaceId}\n${sub}`).digest('base64url');
}
