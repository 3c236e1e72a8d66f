import { hash, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * The secret of an owner's requests with an `Idempotency-Key`: 256 bits in base64url, 43 characters.
 *
 * @param owner text of the API key, or the name of a caller without an API key.
 */
export type DeriveSecret = (owner: string, key: string) => string;

/** Length of the selector: 15 bytes in base64url. */
const SELECTOR_LENGTH = 20;
/** Length of 132 bits in base64url. */
const CHECK_LENGTH = 22;

/**
 * Returns the token of the link of a request. It starts with a selector that depends only on the API key and the `Idempotency-Key`, so the unique
 * index on the hashes of the selectors rejects a second link. The rest depends on the whole request, so the token never opens the link of
 * another request, even if the first link was lost in a restore and its key is used again.
 *
 * @param requestHash 17 bytes in base64url, so the token has 32 bytes.
 */
export function derivedToken(secret: string, requestHash: string): string {
  return `${selectorOf(secret)}${requestHash}`;
}

function selectorOf(text: string): string {
  return text.slice(0, SELECTOR_LENGTH);
}

/** Returns the SHA-256 of the selector of a token or secret, in hex. */
export function selectorHashOf(text: string): string {
  return hash('sha256', selectorOf(text));
}

/** Returns a hash of a derived token. Only this hash and the hash of the selector are stored. */
export function tokenCheckOf(token: string): string {
  return hash('sha256', token, 'base64url').slice(0, CHECK_LENGTH);
}

/** Reports in constant time whether a stored hash is the hash of this derived token. */
export function isTokenOf(tokenCheck: string, token: string): boolean {
  const expected = tokenCheckOf(token);
  return (
    tokenCheck.length === expected.length &&
    timingSafeEqual(Buffer.from(tokenCheck), Buffer.from(expected))
  );
}

/**
 * Creates the derivation of secrets: the HMAC-SHA-256 of the owner and the `Idempotency-Key`. A repetition derives the same secret, so neither
 * the token nor the key is stored. The secret of an API key can be derived only with the secret of the installation and the API key, and
 * the API key is not stored. The token of a link is made from it. Otherwise, only the hash of its selector is used, to find a stored response.
 *
 * @param secret the secret of the installation.
 */
export function createSecretDerivation(secret: Buffer): DeriveSecret {
  const derived = hkdfSync('sha256', secret, '', 'gatehouse derived link tokens', 32);
  const hmac = createTextHmac(Buffer.from(derived).toString('base64url'));
  // The length separates the two texts, so different pairs never have the same encoding.
  return (owner, key) => hmac(`${owner.length}:${owner}${key}`);
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/**
 * Returns an HMAC-SHA-256 (RFC 2104) with a key of at most 64 ASCII characters. Two calls of `hash` take 1 µs and leave no objects for the
 * garbage collector. `createHmac` takes 2 µs, and 13 µs under load.
 */
function createTextHmac(key: string): (text: string) => string {
  const pad = (byte: number) =>
    Buffer.from(key.padEnd(BLOCK_BYTES, '\0')).map((value) => value ^ byte);
  const inner = Buffer.from(pad(0x36)).toString('latin1');
  const outer = Buffer.concat([pad(0x5c), Buffer.alloc(DIGEST_BYTES)]);
  return (text) => {
    outer.write(hash('sha256', inner + text, 'latin1'), BLOCK_BYTES, 'latin1');
    return hash('sha256', outer, 'base64url');
  };
}
