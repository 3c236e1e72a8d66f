import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type webcrypto,
} from 'node:crypto';

/** The public key, as in a JSON Web Key Set (RFC 7517, RFC 8037). */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** A key that signs widget sessions. `kid` is the RFC 7638 thumbprint of the public key. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

export function newSigningKeyText(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { publicJwk } = signingKeyOf(privateKey);
  const { d } = privateKey.export({ format: 'jwk' });
  return JSON.stringify({ ...publicJwk, d });
}

/**
 * Parses a private Ed25519 JWK. Returns `undefined` if the string is not such a key, if the public and private keys do not match,
 * or if `kid` is not the thumbprint of the key.
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

/** Returns the RFC 7638 thumbprint: the SHA-256 digest of the required members in lexicographic order, in base64url. */
export function thumbprint(x: string): string {
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return createHash('sha256').update(members).digest('base64url');
}
