import { type Database, inTransaction, type SigningKeyRow } from '../../storage/ports/index.ts';
import { recordAction } from '../audit/index.ts';
import { createSealer } from '../secrets/index.ts';
import type { KeySchedule } from './key-schedule.rules.ts';
import { newSigningKeyText, parseSigningKey, type SigningKey } from './signing-key.rules.ts';

export type StoredSigningKey = SigningKey & KeySchedule;

/** Thrown if a stored key cannot be decrypted although the secret is correct. The cause is an altered row. */
export class UnreadableSigningKey extends Error {
  override readonly name = 'UnreadableSigningKey';
}

/**
 * Creates the repository of the keys that sign widget sessions. Private keys are sealed with a key derived from the secret, and
 * with the generation as context.
 */
export function createSigningKeyRepository(db: Database, secret: Buffer) {
  const sealer = createSealer(secret, 'signing keys');
  const opened = new Map<string, SigningKey>();

  const rows = (): Promise<SigningKeyRow[]> =>
    db.selectFrom('signing_keys').selectAll().orderBy('generation').execute();

  function open({ sealed, generation }: SigningKeyRow): SigningKey | undefined {
    const key = opened.get(sealed) ?? parseSigningKey(sealer.open(sealed, `${generation}`) ?? '');
    if (key !== undefined) opened.set(sealed, key);
    return key;
  }

  return {
    /** Returns all keys, oldest first. Throws `UnreadableSigningKey`. */
    async all(): Promise<StoredSigningKey[]> {
      return (await rows()).map((row) => {
        const key = open(row);
        if (key === undefined)
          throw new UnreadableSigningKey(`signing key ${row.generation} cannot be decrypted`);
        return {
          ...key,
          generation: row.generation,
          createdAt: row.created_at,
          signsFrom: row.signs_from,
          earlierUntil: row.earlier_until,
        };
      });
    },

    /**
     * Adds a new key, unless another replica has already added a key of this generation.
     *
     * @returns the ID of the new key.
     */
    async add({ generation, createdAt, signsFrom, earlierUntil }: KeySchedule): Promise<string> {
      const text = newSigningKeyText();
      const { kid } = parseSigningKey(text) as SigningKey;
      await inTransaction(db, async (trx) => {
        const { numInsertedOrUpdatedRows: added = 0n } = await trx
          .insertInto('signing_keys')
          .values({
            generation,
            kid,
            sealed: sealer.seal(text, `${generation}`),
            created_at: createdAt,
            signs_from: signsFrom,
            earlier_until: earlierUntil,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (added > 0n)
          await recordAction(trx, {
            action: 'signing-key.rotated',
            spaceId: null,
            resourceId: kid,
          });
      });
      return kid;
    },

    async removeBefore(generation: number): Promise<void> {
      await db.deleteFrom('signing_keys').where('generation', '<', generation).execute();
    },

    /** Removes the keys that were sealed with another secret. Returns their number. */
    async removeUnreadable(): Promise<number> {
      const unreadable = (await rows()).filter((row) => open(row) === undefined);
      const generations = unreadable.map(({ generation }) => generation);
      if (generations.length > 0)
        await db.deleteFrom('signing_keys').where('generation', 'in', generations).execute();
      return generations.length;
    },
  };
}
