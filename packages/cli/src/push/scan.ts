import { opendir, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { EXIT, Failure } from '../shell/failure.ts';

/** A file of the folder that the service can index. */
export interface LocalFile {
  readonly path: string;
  readonly key: string;
}

export interface Scan {
  /** Sorted by key. */
  readonly files: readonly LocalFile[];
  /** Paths of files in formats that the service cannot index, relative to the folder. */
  readonly ignored: readonly string[];
}

/** Extensions of the formats that the service indexes. A test compares them with the service. */
export const EXTENSIONS = [
  ...['.txt', '.text', '.md', '.markdown', '.html', '.htm', '.xhtml', '.csv', '.tsv'],
  ...['.json', '.pdf', '.docx'],
] as const;
const KNOWN: ReadonlySet<string> = new Set(EXTENSIONS);

/** Returns the prefix of the keys of a folder: its name and a slash. */
export function defaultPrefix(folder: string): string {
  const name = basename(resolve(folder)).normalize('NFC');
  return name === '' ? '' : `${name}/`;
}

/**
 * Lists the files below a folder. Hidden files and symbolic links are omitted, because they could lead to files outside
 * of the folder or contain secrets.
 */
export async function scan(folder: string, prefix: string): Promise<Scan> {
  if (!(await stat(folder)).isDirectory())
    throw new Failure({
      exitCode: EXIT.noInput,
      code: 'cli.no-folder',
      message: `${folder} is not a folder. Name the folder that contains the documents.`,
    });
  const files: LocalFile[] = [];
  const ignored: string[] = [];
  const visit = async (relative: string): Promise<void> => {
    for await (const entry of await opendir(join(folder, relative))) {
      if (entry.name.startsWith('.')) continue;
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) await visit(path);
      else if (!entry.isFile()) continue;
      else if (!KNOWN.has(extname(entry.name).toLowerCase())) ignored.push(path);
      // File systems normalise names differently, and a key must be the same on each machine.
      else files.push({ path: join(folder, path), key: prefix + path.normalize('NFC') });
    }
  };
  await visit('');
  return { files: files.sort((a, b) => (a.key < b.key ? -1 : 1)), ignored: ignored.sort() };
}
