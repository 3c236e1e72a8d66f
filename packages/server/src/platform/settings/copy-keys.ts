import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeKeptFile, readKeptFile, syncDirectory } from './kept-file.ts';

/**
 * Copies the keys of a data directory into another, readable by their owner alone.
 *
 * @returns the names of the files; none where the secret is given by the environment.
 */
export function copyKeys(dataDir: string, to: string): string[] {
  const keys = join(dataDir, 'keys');
  const names = existsSync(keys) ? readdirSync(keys).filter((name) => !name.endsWith('.tmp')) : [];
  if (names.length === 0) return [];
  mkdirSync(join(to, 'keys'), { mode: 0o700 });
  for (const name of names) {
    const kept = readKeptFile(join(keys, name));
    if (kept !== undefined) makeKeptFile(join(to, 'keys', name), kept.text);
  }
  syncDirectory(to);
  return names;
}
