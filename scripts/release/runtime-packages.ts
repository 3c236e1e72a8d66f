import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** An npm package that a running service, or the pages that it serves, may contain. */
export interface RuntimePackage {
  readonly name: string;
  readonly version: string;
  /** SPDX licence expression from the lock file, or `null` if the package declares none. */
  readonly licence: string | null;
  /** Subresource integrity of the package archive, for example `sha512-…`. */
  readonly integrity: string;
  /** The packages that it requires, as `name@version`, sorted. */
  readonly requires: readonly string[];
}

/** Packages that only build the pages. The Dockerfile removes them from the image. */
const BUILD_ONLY = ['vite'];
/** The workspaces of a running service and of the command line. */
const WORKSPACES = [
  'packages/cli',
  'packages/client',
  'packages/console',
  'packages/contract',
  'packages/filter',
  'packages/server',
  'packages/site',
  'packages/widget',
];

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Returns the runtime packages in the lock file of a repository, including the Node runtime and the optional packages
 * of all platforms, sorted by name and version.
 *
 * `npm sbom --omit=dev` is not used, because it omits a package that is also a development dependency of another
 * workspace, such as `pg`.
 */
export function runtimePackages(root: string): RuntimePackage[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = new Map<string, RuntimePackage>();
  const visit = (name: string, from: string) => {
    const path = resolve(packages, name, from);
    const locked = packages[path];
    if (locked === undefined || locked.link || BUILD_ONLY.includes(name) || found.has(path)) return;
    const { version, integrity, license = null } = locked;
    if (version === undefined || integrity === undefined)
      throw new Error(`package-lock.json: ${path} has no version or no integrity`);
    const required = namesOf(locked);
    const requires = required.flatMap((name) => {
      const { version } = packages[resolve(packages, name, path)] ?? {};
      return version === undefined ? [] : [`${name}@${version}`];
    });
    found.set(path, { name, version, licence: license, integrity, requires });
    for (const name of required) visit(name, path);
  };
  for (const name of Object.keys(packages['']?.optionalDependencies ?? {})) visit(name, '');
  for (const workspace of WORKSPACES) {
    const locked = packages[workspace];
    if (locked === undefined) throw new Error(`package-lock.json has no workspace ${workspace}`);
    for (const name of namesOf(locked)) visit(name, workspace);
  }
  const unique = new Map([...found.values()].map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique.values()].sort((a, b) =>
    a.name === b.name ? compare(a.version, b.version) : compare(a.name, b.name),
  );
}

function namesOf({ dependencies, optionalDependencies }: LockedPackage): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies }).sort();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Returns the path of a package as Node resolves it from a folder, or a path that the lock file does not have. */
function resolve(
  packages: Readonly<Record<string, LockedPackage>>,
  name: string,
  from: string,
): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (packages[path] !== undefined) return path;
    if (folder === '' || folder === '.') return path;
  }
}
