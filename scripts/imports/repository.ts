import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A workspace of the repository, or its root; paths are relative to the root, with `/`. */
export interface Workspace {
  readonly name: string;
  /** Ends with `/`; empty for the root. */
  readonly folder: string;
  /** What other workspaces may import: `.` or `./part` → file. */
  readonly exports: ReadonlyMap<string, string>;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
}

export interface Repository {
  readonly root: string;
  /** The inner ones first, the root last. */
  readonly workspaces: readonly Workspace[];
  /** Every source file, sorted. */
  readonly files: readonly string[];
}

interface Manifest {
  readonly name?: string;
  readonly workspaces?: readonly string[];
  readonly exports?: string | Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Reads the manifests below a root folder and lists the source files. */
export function openRepository(root: string): Repository {
  const { workspaces: folders = [] } = readManifest(root, '');
  const workspaces = [...folders.map((folder) => `${folder}/`), ''].map((folder) =>
    workspaceOf(folder, readManifest(root, folder)),
  );
  const sources = [...folders, 'scripts'].map((folder) => `${folder}/**/*.{ts,tsx,mts,js,mjs}`);
  const files = globSync(sources, { cwd: root, exclude: ['**/node_modules', '**/dist'] }).sort();
  return { root, workspaces, files };
}

/** The workspace that a file belongs to. */
export function workspaceAround({ workspaces }: Repository, file: string): Workspace {
  const found = workspaces.find(({ folder }) => file.startsWith(folder));
  if (found === undefined) throw new TypeError('a repository has its root as last workspace');
  return found;
}

function readManifest(root: string, folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

function workspaceOf(folder: string, manifest: Manifest): Workspace {
  const { exports = {}, dependencies, optionalDependencies, devDependencies } = manifest;
  const entries = Object.entries(typeof exports === 'string' ? { '.': exports } : exports);
  return {
    name: manifest.name ?? '',
    folder,
    exports: new Map(entries.map(([part, file]) => [part, folder + file.replace(/^\.\//, '')])),
    dependencies: new Set(Object.keys({ ...dependencies, ...optionalDependencies })),
    devDependencies: new Set(Object.keys({ ...devDependencies })),
  };
}
