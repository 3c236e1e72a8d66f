import type { Database } from '../../storage/ports/index.ts';

/** Creates the repository of named facts about the installation. */
export function createInstallationRepository(db: Database) {
  return {
    async find(name: string): Promise<string | undefined> {
      const row = await db
        .selectFrom('installation')
        .where('name', '=', name)
        .select('value')
        .executeTakeFirst();
      return row?.value;
    },

    async add(name: string, value: string): Promise<void> {
      await db
        .insertInto('installation')
        .values({ name, value })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    /** Replaces a value. Returns `false` if the stored value is not `before`. */
    async replace(name: string, before: string, value: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('installation')
        .set({ value })
        .where('name', '=', name)
        .where('value', '=', before)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async put(name: string, value: string): Promise<void> {
      await db
        .insertInto('installation')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}
