import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type webcrypto,
} from 'node:crypto';

/** The public half, as it stands in a JSON Web Key Set (RFC 7517, RFC 8037). */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** A key that signs widget sessions. `kid` is the RFC 7638 thumbprint of the public half. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

/** The text of a new key: a private JWK. */
export function newSigningKeyText(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { publicJwk } = signingKeyOf(privateKey);
  const { d } = privateKey.export({ format: 'jwk' });
  return JSON.stringify({ ...publicJwk, d });
}

/**
 * Reads the text of a key.
 *
 * @returns the key, or `undefined` when the text is not a private Ed25519 key as a JWK, when its two
 *   halves are not of one pair, or when its `kid` belongs to another key.
 */
export function parseSigningKey(text: string): SigningKey | undefined {
  try {
    const jwk: webcrypto.JsonWebKey & { readonly kid?: unknown } = JSON.parse(text);
    const key = signingKeyOf(createPrivateKey({ format: 'jwk', key: jwk }));
    return key.publicJwk.x === jwk.x && key.kid === jwk.kid ? key : undefined;
  } catch {
    return undefined;
  }
}

function signingKeyOf(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const { x, crv } = publicKey.export({ format: 'jwk' });
  if (x === undefined || crv !== 'Ed25519') throw new TypeError('not an Ed25519 key');
  const kid = thumbprint(x);
  const publicJwk = { kty: 'OKP', crv, x, kid, alg: 'EdDSA', use: 'sig' } as const;
  return { kid, privateKey, publicKey, publicJwk };
}

/** RFC 7638 section 3: SHA-256 of the required members in lexicographic order, base64url. */
export function thumbprint(x: string): string {
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return createHash('sha256').update(members).digest('base64url');
}
