import { posix } from 'node:path';
import type { Import } from './read-imports.ts';
import { type Repository, workspaceAround } from './repository.ts';
import type { Target } from './resolve.ts';
import { PLACES, type Place, RESERVED, TESTS, TOOLS } from './rules.ts';

/** Whether a path matches one of the patterns. */
export function isAmong(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => posix.matchesGlob(file, pattern));
}

/** The place that a file lies in. */
export function placeOf(file: string): Place | undefined {
  return PLACES.find(({ at }) => (at.endsWith('/') ? file.startsWith(at) : file === at));
}

/** Every rule that one import breaks, in words that follow a colon. */
export function brokenRules(
  repository: Repository,
  from: string,
  imported: Import,
  target: Target,
): string[] {
  const free = isAmong(from, [...TESTS, ...TOOLS]);
  return [
    byManifest(repository, from, target),
    target.kind === 'ours' ? byFile(repository, from, target) : undefined,
    free || target.kind === 'ours' ? undefined : byReservation(from, imported, target.packageName),
    free || target.kind !== 'ours' ? undefined : byPlace(from, target.file),
  ].filter((rule) => rule !== undefined);
}

function byManifest(repository: Repository, from: string, target: Target): string | undefined {
  const name = target.packageName;
  if (name === undefined || target.kind === 'builtin') return undefined;
  const { folder, dependencies, devDependencies } = workspaceAround(repository, from);
  if (dependencies.has(name)) return undefined;
  if (!devDependencies.has(name)) return `${folder}package.json does not list ${name}`;
  return isAmong(from, [...TESTS, ...TOOLS])
    ? undefined
    : `${name} is a devDependency in ${folder}package.json, for tests alone`;
}

function byFile(
  repository: Repository,
  from: string,
  { file, packageName }: { file: string | undefined; packageName?: string },
): string | undefined {
  if (file === undefined) {
    return packageName === undefined
      ? 'it leads out of the repository'
      : `${packageName} does not export it`;
  }
  if (packageName !== undefined || placeOf(from)?.byPath) return undefined;
  const there = workspaceAround(repository, file);
  if (there === workspaceAround(repository, from)) return undefined;
  return `another workspace is imported by its package name (${there.name || 'the root has none'})`;
}

function byReservation(from: string, imported: Import, name: string): string | undefined {
  const reserved = RESERVED.find((one) => one.name === name);
  if (reserved === undefined || isAmong(from, reserved.only)) return undefined;
  if (reserved.typesAreFree && imported.typeOnly) return undefined;
  const who = [...reserved.only, 'tests'].join(', ');
  return `only ${who} may import ${name}${reserved.typesAreFree ? ' as a value' : ''}`;
}

function byPlace(from: string, file: string | undefined): string | undefined {
  const here = placeOf(from);
  if (here === undefined) return undefined;
  if (file === undefined || !/\.[cm]?[jt]sx?$/.test(file)) return undefined;
  if (isAmong(file, TESTS)) return 'only tests may import test files';
  const there = placeOf(file);
  if (there === here || here.may === 'everything') return undefined;
  if (there === undefined || !here.may.includes(there.name)) {
    const may = here.may.length === 0 ? 'nothing of ours' : `only ${here.may.join(', ')}`;
    return `${here.name} may import ${may}`;
  }
  if (there.door === undefined || posix.basename(file) === there.door) return undefined;
  return `${there.name} is imported through its ${there.door} alone`;
}
