import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backendOf } from '../storage/backend.ts';
import { type ChildOptions, type ChildServer, startChild } from './child-server.ts';
import { programOfService, TESTED } from './program.ts';

/** The compile cache that `start.sh` uses. The other settings of `start.sh` are applied below. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../../../node_modules/.cache/gatehouse');

/** Cheap password hashing saves processor time in a test run. Benchmarks hash passwords as in production. */
const FLAGS =
  TESTED === undefined ? [] : ['--import', join(import.meta.dirname, 'cheap-passwords.ts')];

export const ADMIN = { email: 'admin@example.com', password: 'administrator-1234' } as const;

export function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export async function startService(
  dataDir: string,
  options: ChildOptions = {},
): Promise<ChildServer> {
  return startChild(programOfService(), {
    ...options,
    flags: [...FLAGS, ...(options.flags ?? [])],
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      MALLOC_ARENA_MAX: '2',
      // On a busy machine, searches may wait longer than an operator would accept.
      GATEHOUSE_SEARCH_WAIT_SECONDS: '60',
      GATEHOUSE_DATA_DIR: dataDir,
      GATEHOUSE_ADMIN_EMAIL: ADMIN.email,
      GATEHOUSE_ADMIN_PASSWORD: ADMIN.password,
      ...(await backendOf(dataDir)),
      ...options.env,
    },
  });
}
