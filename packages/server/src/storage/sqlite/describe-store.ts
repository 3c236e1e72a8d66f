import { randomUUIDv7 } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import type { Leases } from '../ports/leases.ts';
import type { Store } from '../ports/store.ts';

/** Creates `Store.describe`. No other process can open the store, so this process is the only replica. */
export function describeStore(of: {
  readonly file: string;
  readonly reader: DatabaseSync;
  readonly leases: Leases;
  /** Omitted if the process serves no requests. */
  readonly version: string | undefined;
}): Store['describe'] {
  const { file, reader, leases, version } = of;
  const self = { id: randomUUIDv7(), host: hostname(), startedAt: Date.now(), isSelf: true };
  const sizeOf = (suffix: string) =>
    statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0;
  return async () => ({
    engine: 'sqlite',
    version: String(reader.prepare('select sqlite_version() as version').get()?.['version']),
    bytes: sizeOf('') + sizeOf('-wal'),
    replicas: version === undefined ? [] : [{ ...self, version, jobs: heldBy(leases) }],
  });
}

function heldBy(leases: Leases): string[] {
  return [...leases.jobs()].flatMap(([name, isHeld]) => (isHeld ? [name] : [])).sort();
}
