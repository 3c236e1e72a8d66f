import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backendOf } from './backend.ts';
import { type ChildOptions, type ChildServer, startChild } from './child-server.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
/** Where `start.sh` keeps compiled code; what else it sets stands below, too. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/gatehouse');

/** The first administrator of every service that is started here. */
export const ADMIN = { email: 'admin@example.com', password: 'administrator-1234' } as const;

/** A temporary data directory that is removed when it is disposed. */
export function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts the product as `npm start` does, in a process of its own, on this data directory. */
export async function startService(
  dataDir: string,
  options: ChildOptions = {},
): Promise<ChildServer> {
  return startChild(MAIN, {
    ...options,
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      MALLOC_ARENA_MAX: '2',
      GATEHOUSE_DATA_DIR: dataDir,
      GATEHOUSE_ADMIN_EMAIL: ADMIN.email,
      GATEHOUSE_ADMIN_PASSWORD: ADMIN.password,
      ...(await backendOf(dataDir)),
      ...options.env,
    },
  });
}
