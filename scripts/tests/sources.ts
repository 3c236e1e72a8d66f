import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Import,
  openRepository,
  type Repository,
  readImports,
  resolveImport,
} from '../imports/sources.ts';
import { isAmong, ON_BOTH_ENGINES, RELEASE, SYSTEM, type Tier, UNIT_IMPORTS } from './tiers.ts';

/** The module that starts a PostgreSQL server for tests. */
const POSTGRES = 'packages/filter/tests/postgres.ts';
/** The module that gives a test a data store: SQLite, or PostgreSQL in the second run. */
const BACKEND = 'packages/server/tests/support/storage/backend.ts';

interface Imports {
  /** Imported files of this repository, relative to its root. */
  readonly files: readonly string[];
  /** Other imports that a unit test may not have. */
  readonly impure: readonly string[];
}

/** The test files of a repository and what they import. */
export class Sources {
  readonly tests: readonly string[];
  readonly #repository: Repository;
  readonly #imports = new Map<string, Imports>();

  constructor(root: string) {
    this.#repository = openRepository(root);
    this.tests = this.#repository.files.filter((file) => file.endsWith('.test.ts'));
  }

  tierOf(test: string): Tier {
    if (isAmong(test, RELEASE)) return 'release';
    if (isAmong(test, SYSTEM)) return 'system';
    return this.impurity(test) === null ? 'unit' : 'integration';
  }

  /**
   * Returns the first import that a unit test may not have, with the path of files that leads to it. Returns `null` for
   * a unit test.
   */
  impurity(test: string): string | null {
    for (const [file, path] of this.#reachable(test)) {
      const [found] = this.#importsOf(file).impure;
      if (found !== undefined) return [...path, file, found].join(' → ');
    }
    return null;
  }

  /** Reports whether a test may start a PostgreSQL server. */
  mayNeedPostgres(test: string): boolean {
    return this.#reachable(test).has(POSTGRES);
  }

  /** Reports whether a test runs twice: on SQLite and on PostgreSQL. */
  runsOnBothEngines(test: string): boolean {
    return isAmong(test, ON_BOTH_ENGINES) && this.#reachable(test).has(BACKEND);
  }

  /**
   * Reports whether a test imports a file, directly or indirectly. Also returns `true` if the file is the test itself.
   */
  reaches(test: string, file: string): boolean {
    return this.#reachable(test).has(file);
  }

  /**
   * Returns all files that a test imports directly or indirectly, nearest first. The value of a file is the path of
   * imports from the test to the file.
   */
  #reachable(test: string): Map<string, readonly string[]> {
    const found = new Map<string, readonly string[]>([[test, []]]);
    for (const [file, path] of found)
      for (const next of this.#importsOf(file).files)
        if (!found.has(next)) found.set(next, [...path, file]);
    return found;
  }

  #importsOf(file: string): Imports {
    const known = this.#imports.get(file);
    if (known !== undefined) return known;
    const read = this.#read(file);
    this.#imports.set(file, read);
    return read;
  }

  #read(file: string): Imports {
    const { root } = this.#repository;
    const files: string[] = [];
    const impure: string[] = [];
    for (const imported of readImports(this.#repository, file)) {
      if (imported.typeOnly) continue;
      if (imported.specifier === undefined) {
        impure.push('a computed import');
        continue;
      }
      const target = resolveImport(this.#repository, file, imported.specifier);
      if (target.kind === 'ours') {
        const isSource = target.file !== undefined && /\.[cm]?[jt]sx?$/.test(target.file);
        if (isSource && existsSync(join(root, target.file))) files.push(target.file);
        if (imported.byUrl) impure.push(`a thread (${imported.specifier})`);
      } else if (!isPure(target.packageName, imported)) impure.push(target.packageName);
    }
    return { files, impure };
  }
}

function isPure(packageName: string, { names }: Import): boolean {
  const pure = UNIT_IMPORTS[packageName];
  if (pure === undefined || pure === 'all') return pure === 'all';
  return names?.every((name) => pure.includes(name)) === true;
}
