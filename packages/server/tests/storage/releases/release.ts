import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { DIST } from '../../../build/freshness.ts';
import { programOfService } from '../../support/services/program.ts';
import { temporaryDirectory } from '../../support/services/service.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const OURS = '@gatehouse';

export interface Release {
  readonly name: string;
  /** Program of the service. */
  readonly program: string;
}

export type CheckedOutRelease = Release & Disposable;

export const thisRelease: Release = {
  name: 'this release',
  get program() {
    return programOfService();
  },
};

/** Builds the release of a commit in a temporary folder. */
export function checkOut(commit: string): CheckedOutRelease {
  const folder = temporaryDirectory();
  try {
    const archive = join(folder.path, 'release.tar');
    execFileSync('git', ['archive', '--output', archive, commit], { cwd: ROOT });
    execFileSync('tar', ['-xf', archive, '-C', folder.path]);
    install(folder.path);
    return releaseIn(folder, commit.slice(0, 8));
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}

/**
 * Creates a later release: the source files of this release, and one compatible migration per table. Each migration adds a column
 * without a value, a column with a default and an index. Tables of a test are small, so the index is also added to tables where
 * docs/operations.md forbids it.
 */
export function createLaterRelease(tables: readonly string[]): CheckedOutRelease {
  const folder = temporaryDirectory();
  try {
    cpSync(join(ROOT, 'package.json'), join(folder.path, 'package.json'));
    cpSync(join(ROOT, 'packages'), join(folder.path, 'packages'), {
      recursive: true,
      filter: (path) => !['node_modules', 'tests'].includes(basename(path)) && path !== DIST,
    });
    linkPackages(folder.path);
    addMigrations(folder.path, tables);
    execFileSync(process.execPath, ['packages/server/build/build.ts'], { cwd: folder.path });
    return releaseIn(folder, 'a later release');
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}

function releaseIn(
  folder: Disposable & { readonly path: string },
  name: string,
): CheckedOutRelease {
  // A parser process may read only files below the folder of its release, so with linked packages it needs the bundle.
  const bundle = join(folder.path, 'packages/server/dist/main.mjs');
  const program = existsSync(bundle) ? bundle : join(folder.path, 'packages/server/src/main.ts');
  return { name, program, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** Installs the packages and builds the release. Installed packages are reused if the release needs the same ones. */
function install(folder: string): void {
  if (packagesOf(folder) === packagesOf(ROOT)) {
    linkPackages(folder);
    npm(folder, 'run', 'build');
    return;
  }
  // The installation also builds the release.
  const options = ['ci', '--no-audit', '--no-fund'];
  if (!tryNpm(folder, [...options, '--offline'])) npm(folder, ...options);
}

/** Returns the locked packages without the versions of Node, because the tests run all releases with the same version. */
function packagesOf(folder: string): string {
  const text = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, { integrity?: string }> };
  return JSON.stringify(
    Object.entries(packages)
      .filter(([path, { integrity }]) => integrity !== undefined && !/\/node-linux-/.test(path))
      .map(([path, { integrity }]) => [path, integrity]),
  );
}

/** Links the installed packages, except our own packages. */
function linkPackages(folder: string): void {
  const [from, to] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(to, OURS), { recursive: true });
  for (const name of readdirSync(from))
    if (name !== OURS && name !== '.cache') symlinkSync(join(from, name), join(to, name));
  for (const name of readdirSync(join(from, OURS)))
    symlinkSync(readlinkSync(join(from, OURS, name)), join(to, OURS, name));
  for (const name of readdirSync(join(folder, 'packages'))) {
    const own = join(ROOT, 'packages', name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(folder, 'packages', name, 'node_modules'));
  }
}

function npm(folder: string, ...args: readonly string[]): void {
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

function tryNpm(folder: string, args: readonly string[]): boolean {
  return spawnSync('npm', args, { cwd: folder, stdio: 'ignore' }).status === 0;
}

function addMigrations(folder: string, tables: readonly string[]): void {
  const file = join(folder, 'packages/server/src/storage/migrations/postgres/index.ts');
  const migrations = tables.map((table) => {
    const texts = [
      `alter table ${table} add column later_text text`,
      `alter table ${table} add column later_count integer not null default 0`,
      `create index ${table}_later on ${table} (later_text) where later_text is not null`,
    ];
    return `  '9000-${table}+': statements(${JSON.stringify(texts)}),\n`;
  });
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/};\s*$/, `${migrations.join('')}};\n`));
}
