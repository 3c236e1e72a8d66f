import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface KeptFile {
  readonly path: string;
  readonly mode: number;
  /** Content in Latin-1: one character per byte. */
  readonly bytes: string;
}

export function filesIn(dataDir: string): KeptFile[] {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({
      path: path.slice(dataDir.length + 1),
      mode: statSync(path).mode & 0o777,
      bytes: readFileSync(path, 'latin1'),
    }));
}
