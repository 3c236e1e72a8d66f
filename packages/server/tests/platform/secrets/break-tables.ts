import { stored, storedTables } from '../../support/storage/stored.ts';

/** Renames all tables of a running service except the full-text index. Every later operation then fails. */
export async function breakTables(dataDir: string): Promise<void> {
  for (const name of await storedTables(dataDir))
    if (!name.startsWith('passages_'))
      await stored(dataDir, `alter table "${name}" rename to "${name}_away"`);
}
