import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
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
  /** Paths of files and folders whose names are not valid UTF-8, relative to the folder. */
  readonly unnamed: readonly string[];
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
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Failure({
      exitCode: EXIT.noInput,
      code: 'cli.no-folder',
      message: `${folder} is not a folder. Name the folder that contains the documents.`,
    });
  const files: LocalFile[] = [];
  const ignored: string[] = [];
  const unnamed: string[] = [];
  const visit = async (relative: string): Promise<void> => {
    const options = { withFileTypes: true, encoding: 'buffer' } as const;
    for (const entry of await readdir(join(folder, relative), options)) {
      const name = entry.name.toString();
      if (name.startsWith('.') || !(entry.isDirectory() || entry.isFile())) continue;
      const path = relative === '' ? name : `${relative}/${name}`;
      if (entry.isFile() && !KNOWN.has(extname(name).toLowerCase())) ignored.push(path);
      // No string opens it, and several such names could have the same key.
      else if (!isUtf8(entry.name)) unnamed.push(path);
      else if (entry.isDirectory()) await visit(path);
      // File systems normalise names differently, and a key must be the same on each machine.
      else files.push({ path: join(folder, path), key: prefix + path.normalize('NFC') });
    }
  };
  await visit('');
  files.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { files, ignored: ignored.sort(), unnamed: unnamed.sort() };
}
