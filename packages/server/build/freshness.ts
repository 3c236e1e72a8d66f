import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const SERVER = join(import.meta.dirname, '..');
const ROOT = join(SERVER, '../..');
/** The folder of the bundle. `start.sh` uses it. */
export const DIST = join(SERVER, 'dist');
/** The program of the service in the bundle. */
export const PROGRAM = join(DIST, 'main.mjs');
/** A file in `DIST` with the hash of the source files. */
export const HASH_FILE = 'sources.sha256';
/** The folders whose code is part of the bundle. */
const OURS = ['contract/src', 'filter/src', 'server/demo', 'server/src'];

/** The code that bundles, and the file that declares that the modules of the contract have no side effects. */
const BUILD = [
  ...['ascii', 'bundle', 'vite'].map((name) => `packages/server/build/${name}.ts`),
  'packages/contract/package.json',
];

/** Reports whether `DIST` contains a bundle of the current source files and packages. */
export function isFresh(): boolean {
  const file = join(DIST, HASH_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === hashOfSources();
}

export function hashOfSources(): string {
  const hash = createHash('sha256');
  hash.update(readFileSync(join(ROOT, 'node_modules/.package-lock.json')));
  const files = OURS.flatMap((name) => globSync(`packages/${name}/**/*.ts`, { cwd: ROOT }));
  for (const file of [...files.sort(), ...BUILD])
    if (!/\.(test|suite)\.ts$/.test(file)) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}
