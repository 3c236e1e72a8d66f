import type { SigningKeyRow } from '../../storage/ports/index.ts';
import { createSealer } from '../secrets/index.ts';
import type { KeyLife } from './key-life.rules.ts';
import { parseSigningKey, type SigningKey } from './signing-key.rules.ts';

/** A key and when it does what. */
export type LivingKey = SigningKey & KeyLife;

/** Makes rows of keys, and keys of rows. */
export interface Vault {
  /** @param text a private JWK, as `newSigningKeyText` makes it. */
  toRow(life: KeyLife, text: string): SigningKeyRow;
  /** Undefined when it was sealed with another secret, or altered. */
  toKey(row: SigningKeyRow): LivingKey | undefined;
}

/** The private halves are sealed under a key derived from the secret, each for its generation. */
export function createVault(secret: Buffer): Vault {
  const sealer = createSealer(secret, 'signing keys');
  /** By what is sealed, so that a key stays the same object for who asks again. */
  const opened = new Map<string, SigningKey>();

  function open({ sealed, generation }: SigningKeyRow): SigningKey | undefined {
    const known = opened.get(sealed);
    if (known !== undefined) return known;
    const key = parseSigningKey(sealer.open(sealed, String(generation)) ?? '');
    if (key !== undefined) opened.set(sealed, key);
    return key;
  }

  return {
    toRow: ({ generation, createdAt, signsFrom, earlierUntil }, text) => {
      const key = parseSigningKey(text);
      if (key === undefined) throw new TypeError('not an Ed25519 private key as a JWK');
      return {
        generation,
        kid: key.kid,
        sealed: sealer.seal(text, String(generation)),
        created_at: createdAt,
        signs_from: signsFrom,
        earlier_until: earlierUntil,
      };
    },
    toKey: (row) => {
      const key = open(row);
      return (
        key && {
          ...key,
          generation: row.generation,
          createdAt: row.created_at,
          signsFrom: row.signs_from,
          earlierUntil: row.earlier_until,
        }
      );
    },
  };
}
