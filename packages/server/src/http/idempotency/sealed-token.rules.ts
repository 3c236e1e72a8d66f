import { createHmac, hash, hkdfSync } from 'node:crypto';

/** The secrets of a request, without which its token cannot be decrypted. */
export interface RequestSecrets {
  /** Text of the API key. It is not stored. */
  readonly apiKey: string;
  /** The `Idempotency-Key`. */
  readonly key: string;
}

export type TokenSealer = ReturnType<typeof createTokenSealer>;

/**
 * Creates the encryption of tokens of 32 bytes in base64url. A token is XORed with an HMAC-SHA256 of the API key, the `Idempotency-Key`
 * and the token's hash, keyed by the installation. The tokens are random, so their hashes differ and no pad is used twice. The hash also authenticates
 * the decrypted token. The API key is not stored, so the stored data and the installation's secret do not suffice to decrypt a token.
 *
 * @param secret the secret of the installation.
 */
export function createTokenSealer(secret: Buffer) {
  const padKey = Buffer.from(hkdfSync('sha256', secret, '', 'gatehouse link tokens', 32));
  // None of the texts contains a line break.
  const pad = (tokenHash: string, { apiKey, key }: RequestSecrets) =>
    createHmac('sha256', padKey).update(`${apiKey}\n${key}\n${tokenHash}`).digest();
  const apply = (text: string, tokenHash: string, secrets: RequestSecrets) => {
    const bytes = pad(tokenHash, secrets);
    const input = Buffer.from(text, 'base64url');
    return bytes.map((byte, at) => byte ^ (input[at] ?? 0)) as Buffer;
  };
  return {
    /** @param tokenHash SHA-256 of the token, hexadecimal. */
    seal: (token: string, tokenHash: string, secrets: RequestSecrets): string =>
      apply(token, tokenHash, secrets).toString('base64url'),

    /** Returns the token, or null if other secrets sealed the token. */
    open(sealed: string, tokenHash: string, secrets: RequestSecrets): string | null {
      const token = apply(sealed, tokenHash, secrets).toString('base64url');
      return hash('sha256', token) === tokenHash ? token : null;
    },
  };
}
