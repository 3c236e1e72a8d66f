import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { type Program, parseSync, type StaticImportEntry, Visitor } from 'oxc-parser';

/** A workspace of the repository, or the root of the repository. Paths are relative to the root and use `/`. */
export interface Workspace {
  readonly name: string;
  /** Path of the folder with a final `/`. Empty for the root. */
  readonly folder: string;
  /** Files that other workspaces may import. The keys are export names: `.` or `./part`. */
  readonly exports: ReadonlyMap<string, string>;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
  /** Packages that users may install. Only `import()` may load them. */
  readonly peerDependencies: ReadonlySet<string>;
}

export interface Repository {
  readonly root: string;
  /** All workspaces. The root is the last element. */
  readonly workspaces: readonly Workspace[];
  /** All source files, sorted. */
  readonly files: readonly string[];
}

export interface Import {
  /** Specifier in the source text; `undefined` if it is computed. */
  readonly specifier: string | undefined;
  /**
   * Values that an import declaration imports by name. `undefined` if it has a default or namespace import, and for
   * other kinds of import.
   */
  readonly names: readonly string[] | undefined;
  /** True if the import is only for types, and so does not exist at run time. */
  readonly typeOnly: boolean;
  /** True for `import()`. */
  readonly dynamic: boolean;
  /** True for `new URL(…)`, which passes the URL of a file to a thread. */
  readonly byUrl: boolean;
  /** Line number. The first line is 1. */
  readonly line: number;
}

/** The target of an import. `file` is `undefined` if the repository has no such file. */
export type Target =
  | { readonly kind: 'ours'; readonly file: string | undefined; readonly packageName?: string }
  | { readonly kind: 'foreign' | 'builtin'; readonly packageName: string };

interface Manifest {
  readonly name?: string;
  readonly workspaces?: readonly string[];
  readonly exports?: string | Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Reads the package.json files of a repository and lists its source files. */
export function openRepository(root: string): Repository {
  const manifestOf = (folder: string): Manifest =>
    JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const { workspaces: folders = [] } = manifestOf('');
  const workspaces = [...folders.map((folder) => `${folder}/`), ''].map((folder) =>
    workspaceOf(folder, manifestOf(folder)),
  );
  const sources = [...folders, 'scripts'].map((folder) => `${folder}/**/*.{ts,tsx,mts,js,mjs}`);
  const files = globSync(sources, {
    cwd: root,
    exclude: ['**/node_modules', '**/dist', '**/unfinished-*'],
  }).sort();
  return { root, workspaces, files };
}

function workspaceOf(folder: string, manifest: Manifest): Workspace {
  const {
    exports = {},
    dependencies,
    optionalDependencies,
    devDependencies,
    peerDependencies,
  } = manifest;
  const entries = Object.entries(typeof exports === 'string' ? { '.': exports } : exports);
  return {
    name: manifest.name ?? '',
    folder,
    exports: new Map(entries.map(([part, file]) => [part, folder + file.replace(/^\.\//, '')])),
    dependencies: new Set(Object.keys({ ...dependencies, ...optionalDependencies })),
    devDependencies: new Set(Object.keys({ ...devDependencies })),
    peerDependencies: new Set(Object.keys({ ...peerDependencies })),
  };
}

/**
 * Returns the imports of a file: `import` and `export … from` declarations, `import()`, import types,
 * `import x = require()`, and `new URL('./file.ts', import.meta.url)`.
 *
 * @throws {SyntaxError} if the file cannot be parsed.
 */
export function readImports({ root }: Repository, file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const parsed = parseSync(file, text);
  if (parsed.errors[0] !== undefined) throw new SyntaxError(`${file}: ${parsed.errors[0].message}`);
  const found: Import[] = [];
  function add(start: number, specifier: string | undefined, more: Partial<Import> = {}): void {
    const line = text.slice(0, start).split('\n').length;
    const plain = { names: undefined, typeOnly: false, dynamic: false, byUrl: false };
    found.push({ specifier, ...plain, line, ...more });
  }
  const { staticImports, staticExports } = parsed.module;
  for (const { start, end, moduleRequest, entries } of staticImports) {
    const typeOnly =
      entries.length === 0
        ? text.slice(start, end).startsWith('import type ')
        : entries.every(({ isType }) => isType);
    add(start, moduleRequest.value, { typeOnly, names: namesOf(entries) });
  }
  for (const { start, entries } of staticExports) {
    const from = entries[0]?.moduleRequest;
    // For `import { a } from 'b'; export { a };`, the parser lists the import as an export too.
    if (from && text.startsWith('export', start))
      add(start, from.value, { typeOnly: entries.every(({ isType }) => isType) });
  }
  // The syntax tree is needed only for the other kinds. Reading it takes most of the time.
  if (HAS_OTHER_IMPORTS.test(text)) visitOtherImports(parsed.program, add);
  return found;
}

/** Matches every text with imports that `visitOtherImports` finds, and some others. */
const HAS_OTHER_IMPORTS = /\b(?:import|require|URL)\s*\(|\bexport\s*\{\s*\}\s*from\b/;

type AddImport = (start: number, specifier: string | undefined, more?: Partial<Import>) => void;

/** Finds all imports that are not import declarations or exports of names. */
function visitOtherImports(program: Program, add: AddImport): void {
  new Visitor({
    ExportNamedDeclaration: ({ start, source, exportKind, specifiers }) => {
      if (source !== null && specifiers.length === 0)
        add(start, source.value, { typeOnly: exportKind === 'type' });
    },
    ImportExpression: ({ start, source }) => add(start, literal(source), { dynamic: true }),
    TSImportType: ({ start, source }) => add(start, literal(source), { typeOnly: true }),
    TSImportEqualsDeclaration: ({ start, importKind, moduleReference }) => {
      if (moduleReference.type !== 'TSExternalModuleReference') return;
      add(start, literal(moduleReference.expression), { typeOnly: importKind === 'type' });
    },
    NewExpression: ({ start, callee, arguments: [url] }) => {
      if (callee.type !== 'Identifier' || callee.name !== 'URL' || url === undefined) return;
      const named = literal(url);
      if (named !== undefined && /^\.{1,2}\/.*\.[cm]?[jt]sx?$/.test(named))
        add(start, named, { byUrl: true });
    },
  }).visit(program);
}

/** Resolves an import specifier in a file. */
export function resolveImport({ workspaces }: Repository, from: string, specifier: string): Target {
  if (/^\.{0,2}\//.test(specifier)) {
    const file = posix.join(posix.dirname(from), specifier);
    return { kind: 'ours', file: file.startsWith('..') ? undefined : file };
  }
  if (isBuiltin(specifier)) return { kind: 'builtin', packageName: specifier };
  const packageName = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const workspace = workspaces.find(({ name }) => name === packageName);
  if (workspace === undefined) return { kind: 'foreign', packageName };
  const part = `.${specifier.slice(packageName.length)}`;
  return { kind: 'ours', file: workspace.exports.get(part), packageName };
}

function namesOf(entries: readonly StaticImportEntry[]): string[] | undefined {
  if (entries.some(({ importName }) => importName.kind !== 'Name')) return undefined;
  return entries.filter(({ isType }) => !isType).map(({ importName }) => importName.name ?? '');
}

function literal(node: { readonly type: string; readonly value?: unknown }): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}
