import { stored, storedTables } from '../../support/stored.ts';

/** Takes the tables (but the full-text index, which is nothing without them) of a running service away, so that whatever it does next goes wrong for real. */
export async function breakTables(dataDir: string): Promise<void> {
  for (const name of await storedTables(dataDir))
    if (!name.startsWith('passages_'))
      await stored(dataDir, `alter table "${name}" rename to "${name}_away"`);
}
