import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface KeptFile {
  readonly path: string;
  /** The permission bits. */
  readonly mode: number;
  /** Its bytes, each as one character. */
  readonly bytes: string;
}

/** Every file of a data directory, as it is at this moment. */
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
