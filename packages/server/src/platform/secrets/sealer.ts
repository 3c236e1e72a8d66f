import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 's1.';

/** Encrypts what must be stored and known again, unlike the tokens of which a hash is enough. */
export interface Sealer {
  /** @param place what the text belongs to; it cannot be opened for another. */
  seal(text: string, place: string): string;
  /** Null when it was not sealed here for this place, or with another key. */
  open(sealed: string, place: string): string | null;
}

/**
 * AES-256-GCM with a random nonce for each text. The key is derived for one purpose alone (HKDF).
 *
 * @param secret the installation's, 32 bytes.
 * @param purpose names what is sealed, so it stays as it is for good.
 */
export function createSealer(secret: Buffer, purpose: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `gatehouse ${purpose}`, KEY_BYTES));
  return {
    seal: (text, place) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(place));
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return VERSION + Buffer.concat(parts).toString('base64url');
    },
    open: (sealed, place) => {
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
      if (!sealed.startsWith(VERSION) || bytes.length < IV_BYTES + TAG_BYTES) return null;
      const end = bytes.length - TAG_BYTES;
      const cipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      cipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(end));
      try {
        return (
          cipher.update(bytes.subarray(IV_BYTES, end), undefined, 'utf8') + cipher.final('utf8')
        );
      } catch {
        return null;
      }
    },
  };
}

/** By which a database tells whether a secret is the one it was made with; it says nothing about the secret. */
export function checkValueOf(secret: Buffer): string {
  const value = hkdfSync('sha256', secret, '', 'gatehouse secret check', KEY_BYTES);
  return Buffer.from(value).toString('base64url');
}
