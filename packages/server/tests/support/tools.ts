import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** Versions of the programs that `scripts/prepare-tests.sh` installs into `CACHE`. */
const VERSIONS = parseEnv(readFileSync(join(import.meta.dirname, 'tools.env'), 'utf8'));

/** Cache of programs that only the tests need. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'gatehouse-tests');

/** Programs and folders in the cache. */
export type Tool = 'kafka' | 'nats-server' | 'schemathesis' | PostgresServer | Runtime;
/** Folders whose folder `bin` contains `initdb` and `postgres`. */
export type PostgresServer = `postgres-${'13' | '14' | '16' | '17' | '18'}`;
/** Folders in which `program` runs JavaScript. */
export type Runtime = 'node-20' | 'node-22' | 'node-24' | 'deno' | 'bun' | 'workerd';

/** Returns the path of a program or folder in the cache, or `null` if it is not installed. */
export function installed(tool: Tool): string | null {
  const path = join(CACHE, `${tool}-${VERSIONS[tool.replace('-', '_').toUpperCase()]}`);
  return existsSync(path) ? path : null;
}
