import { type Database, inTransaction } from '../../storage/ports/index.ts';
import { recordAction } from '../audit/index.ts';
import { createInstallationRepository } from './installation.repository.ts';

const FACT = 'last-backup';

/** A backup that the command `backup` completed. */
export interface Backup {
  /** Unix milliseconds. */
  readonly finishedAt: number;
  readonly bytes: number;
  readonly directory: string;
  /** `true` if the integrity of the backup was checked. */
  readonly isChecked: boolean;
}

/** Stores a completed backup as the last one, and records it in the audit. */
export async function recordBackup(db: Database, backup: Backup): Promise<void> {
  const { bytes, directory, isChecked } = backup;
  await inTransaction(db, async (trx) => {
    await createInstallationRepository(trx).put(FACT, JSON.stringify(backup));
    await recordAction(trx, {
      action: 'backup.created',
      spaceId: null,
      resourceId: null,
      details: { bytes, directory, isChecked },
    });
  });
}

/** Returns the last backup, or null if the command never completed one. */
export async function findLastBackup(db: Database): Promise<Backup | null> {
  const stored = await createInstallationRepository(db).find(FACT);
  return stored === undefined ? null : (JSON.parse(stored) as Backup);
}
