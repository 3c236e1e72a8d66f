import { hash, hkdfSync } from 'node:crypto';

/** The values without which the token of a request cannot be decrypted. */
export interface RequestSecrets {
  /** Text of the API key. It is not stored. */
  readonly apiKey: string;
  /** The `Idempotency-Key`. */
  readonly key: string;
  /** Returns the bytes that identify the request, after a text. */
  readonly bytesAfter: (text: string) => Uint8Array;
}

export type TokenSealer = ReturnType<typeof createTokenSealer>;

/**
 * Creates the encryption of tokens of 32 bytes in base64url. A token is XORed with a SHA-256 of a secret of the installation, the API key,
 * the `Idempotency-Key`, the token's hash and the request. The tokens are random, so their hashes differ and no pad is used twice. The hash
 * also authenticates the decrypted token: another request cannot decrypt it. The API key is not stored, so the stored data and the
 * installation's secret do not suffice to decrypt a token.
 *
 * @param secret the secret of the installation.
 */
export function createTokenSealer(secret: Buffer) {
  const padKey = Buffer.from(hkdfSync('sha256', secret, '', 'gatehouse link tokens', 32)).toString(
    'base64url',
  );
  // None of the texts contains a line break. An HMAC takes several times as long. Its protection against extension is not needed: an extended
  // message has the same token's hash, so its pad encrypts nothing else.
  const pad = (tokenHash: string, { apiKey, key, bytesAfter }: RequestSecrets) =>
    Buffer.from(
      hash('sha256', bytesAfter(`${padKey}\n${apiKey}\n${key}\n${tokenHash}`), 'base64url'),
      'base64url',
    );
  const apply = (text: string, tokenHash: string, secrets: RequestSecrets) => {
    const bytes = pad(tokenHash, secrets);
    const input = Buffer.from(text, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = (bytes[at] ?? 0) ^ (input[at] ?? 0);
    return bytes.toString('base64url');
  };
  return {
    /** @param tokenHash SHA-256 of the token, hexadecimal. */
    seal: apply,

    /** Returns the token, or null if other secrets or another request sealed the token. */
    open(sealed: string, tokenHash: string, secrets: RequestSecrets): string | null {
      const token = apply(sealed, tokenHash, secrets);
      return hash('sha256', token) === tokenHash ? token : null;
    },
  };
}
