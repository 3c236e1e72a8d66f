import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto';
import { pooledRandomBytes } from '../../lib/random/index.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 's1.';

/** Encrypts secrets that must be decrypted later. Tokens are hashed instead. */
export interface Sealer {
  /** @param context identifies the owner of the string. The sealed string can be opened only with the same context. */
  seal(text: string, context: string): string;
  /** Returns `null` if the sealed string was altered, or was sealed with another context or key. */
  open(sealed: string, context: string): string | null;
}

/**
 * Creates a sealer that uses AES-256-GCM with a random nonce per string. HKDF derives the key from the secret and the purpose.
 *
 * @param secret the secret of the installation.
 * @param purpose must never change, because strings sealed with another purpose cannot be opened.
 */
export function createSealer(secret: Buffer, purpose: string): Sealer {
  const key = createSecretKey(
    Buffer.from(hkdfSync('sha256', secret, '', `gatehouse ${purpose}`, KEY_BYTES)),
  );
  return {
    seal: (text, context) => {
      const iv = pooledRandomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return VERSION + Buffer.concat(parts).toString('base64url');
    },
    open: (sealed, context) => {
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
      if (!sealed.startsWith(VERSION) || bytes.length < IV_BYTES + TAG_BYTES) return null;
      const end = bytes.length - TAG_BYTES;
      const cipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      cipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(end));
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

/** Returns the value with which a database recognises its secret. The value does not reveal the secret. */
export function checkValueOf(secret: Buffer): string {
  const value = hkdfSync('sha256', secret, '', 'gatehouse secret check', KEY_BYTES);
  return Buffer.from(value).toString('base64url');
}
