import type { Database, SigningKeyRow } from '../../storage/ports/index.ts';

export type SigningKeyRepository = ReturnType<typeof createSigningKeyRepository>;

/** The keys that sign widget sessions; they belong to no space. */
export function createSigningKeyRepository(db: Database) {
  return {
    all: (): Promise<SigningKeyRow[]> =>
      db.selectFrom('signing_keys').selectAll().orderBy('generation').execute(),

    /** Adds a key, unless its generation is there: then another replica was first, and its key is the one. */
    async add(row: SigningKeyRow): Promise<void> {
      await db
        .insertInto('signing_keys')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    async removeBefore(generation: number): Promise<void> {
      await db.deleteFrom('signing_keys').where('generation', '<', generation).execute();
    },

    async remove(generations: readonly number[]): Promise<void> {
      if (generations.length === 0) return;
      await db.deleteFrom('signing_keys').where('generation', 'in', generations).execute();
    },
  };
}
