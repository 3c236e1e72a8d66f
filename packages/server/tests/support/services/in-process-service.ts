import assert from 'node:assert/strict';
import { pino } from 'pino';
import { readSettings } from '../../../src/platform/settings/index.ts';
import { type Service, start } from '../../../src/start/index.ts';
import { backendOf } from '../storage/backend.ts';
import { ADMIN } from './service.ts';

// In a test run, password hashing is cheap, as in the services of `startService`.
if (process.env['GATEHOUSE_TEST_SERVER'] !== undefined) await import('./cheap-passwords.ts');

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
