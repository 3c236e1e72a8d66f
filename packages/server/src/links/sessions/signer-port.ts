import type { KeyObject } from 'node:crypto';

/** Signs with Ed25519 (RFC 8032). */
export interface Signer {
  /** The signature of the text's UTF-8 bytes, base64url. */
  sign(text: string, key: KeyObject): Promise<string>;
}
