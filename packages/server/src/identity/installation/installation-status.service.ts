import { statfs } from 'node:fs/promises';
import type { InstallationStatus } from '@gatehouse/contract';
import { toTime } from '../../lib/scheduling/index.ts';
import type { Backup } from '../../platform/installation/index.ts';
import type { EffectiveSetting } from '../../platform/settings/index.ts';
import type { Store } from '../../storage/ports/index.ts';

export interface InstallationStatusDeps {
  /** Version of this service. */
  readonly version: string;
  readonly describeStore: Store['describe'];
  /** The data directory. Null if the store is not on a disk of this machine. */
  readonly directory: string | null;
  readonly findLastBackup: () => Promise<Backup | null>;
  readonly settings: readonly EffectiveSetting[];
}

export type ShowInstallation = () => Promise<InstallationStatus>;

export function createInstallationStatus(deps: InstallationStatusDeps): ShowInstallation {
  const { version, describeStore, directory, findLastBackup, settings } = deps;
  return async () => {
    const [{ replicas, ...store }, disk, backup] = await Promise.all([
      describeStore(),
      directory === null ? null : diskOf(directory),
      findLastBackup(),
    ]);
    return {
      version,
      store,
      replicas: replicas.map(({ startedAt, jobs, ...replica }) => ({
        ...replica,
        startedAt: toTime(startedAt),
        jobs: [...jobs],
      })),
      disk,
      lastBackup: backup === null ? null : { ...backup, finishedAt: toTime(backup.finishedAt) },
      settings: [...settings],
    };
  };
}

async function diskOf(directory: string) {
  const { bsize, bavail, blocks } = await statfs(directory);
  return { directory, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
