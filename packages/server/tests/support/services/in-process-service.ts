import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import type { Service } from '../../../src/start/index.ts';
import { backendOf } from '../storage/backend.ts';
import { TESTED } from './program.ts';
import { ADMIN } from './service.ts';

const { start, readSettings } = await loadServer();

/** Loads the service. In a test run, from the bundle and with cheap password hashing, as in the services of `startService`. */
async function loadServer(): Promise<
  Pick<typeof import('../../../src/start/index.ts'), 'start'> &
    Pick<typeof import('../../../src/platform/settings/index.ts'), 'readSettings'>
> {
  if (TESTED === undefined)
    return {
      ...(await import('../../../src/start/index.ts')),
      ...(await import('../../../src/platform/settings/index.ts')),
    };
  await import('./cheap-passwords.ts');
  return {
    ...(await import(join(dirname(TESTED), 'start.index.mjs'))),
    ...(await import(join(dirname(TESTED), 'platform.settings.index.mjs'))),
  };
}

export interface InProcessOptions {
  readonly env?: Readonly<Record<`GATEHOUSE_${string}`, string>>;
  readonly clock?: () => number;
  readonly onLog?: (line: string) => void;
}

/** Starts the service in this process on a free port. */
export async function startInProcess(
  dataDir: string,
  options: InProcessOptions = {},
): Promise<Service> {
  const { env, clock, onLog } = options;
  const read = readSettings({
    GATEHOUSE_PORT: '0',
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_SEARCH_WAIT_SECONDS: '60',
    GATEHOUSE_ADMIN_EMAIL: ADMIN.email,
    GATEHOUSE_ADMIN_PASSWORD: ADMIN.password,
    ...(await backendOf(dataDir)),
    ...env,
  });
  assert.ok(read.ok, read.ok ? '' : read.problems.join());
  const log =
    onLog === undefined ? pino({ level: 'silent' }) : pino({ level: 'trace' }, { write: onLog });
  return start(read.settings, Object.assign(log, { flushNow: () => {} }), null, clock);
}
