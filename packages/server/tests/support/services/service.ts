import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backendOf } from '../storage/backend.ts';
import { type ChildOptions, type ChildServer, startChild } from './child-server.ts';

const MAIN = join(import.meta.dirname, '../../../src/main.ts');
/** The compile cache that `start.sh` uses. The other settings of `start.sh` are applied below. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../../../node_modules/.cache/gatehouse');

/** In a test run, the bundle of the service (`scripts/tests/bundle-server.ts`). */
const BUNDLE = process.env['GATEHOUSE_TEST_SERVER'];
/**
 * The program and its options. In a test run, the bundle and cheap password hashing take 40% of the processor time of a start.
 * Benchmarks use neither.
 */
const PROGRAM = BUNDLE ?? MAIN;
const FLAGS =
  BUNDLE === undefined ? [] : ['--import', join(import.meta.dirname, 'cheap-passwords.ts')];

export const ADMIN = { email: 'admin@example.com', password: 'administrator-1234' } as const;

export function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export async function startService(
  dataDir: string,
  options: ChildOptions = {},
): Promise<ChildServer> {
  return startChild(PROGRAM, {
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
