import { posix } from 'node:path';
import * as rules from './rules.ts';
import {
  type Import,
  openRepository,
  type Repository,
  readImports,
  resolveImport,
  type Target,
  type Workspace,
} from './sources.ts';

interface Edge {
  readonly from: string;
  readonly to: string;
  /** `file:line imports specifier`. */
  readonly at: string;
}

/**
 * Checks a repository against the rules in `rules.ts`.
 *
 * @returns one line per violation: `file:line imports X: rule`.
 */
export function checkImports(root: string): string[] {
  const repository = openRepository(root);
  const edges: Edge[] = [];
  const violations = repository.files.flatMap((file) => [
    ...(areaOf(file) === undefined && !isTest(file)
      ? [`${file}:1 is in no area of scripts/imports/rules.ts`]
      : []),
    ...readImports(repository, file).flatMap((one) => checkImport(repository, file, one, edges)),
  ]);
  return [...violations, ...cyclesIn(edges), ...crowdedFolders(repository.files)];
}

function checkImport(
  repository: Repository,
  from: string,
  imported: Import,
  edges: Edge[],
): string[] {
  const { specifier, line } = imported;
  if (specifier === undefined)
    return isTest(from)
      ? []
      : [`${from}:${line} imports a computed path: only literals can be checked`];
  const at = `${from}:${line} imports ${specifier}`;
  const target = resolveImport(repository, from, specifier);
  if (target.kind === 'ours' && target.file !== undefined && !imported.byUrl)
    edges.push({ from, to: target.file, at });
  const broken = [byManifest(repository, from, imported, target)];
  if (target.kind === 'ours') broken.push(byWorkspace(repository, from, target));
  if (!isTest(from) && !isTool(from))
    broken.push(
      target.kind === 'ours'
        ? byArea(from, target.file)
        : byReservation(from, imported, target.packageName),
    );
  return broken.filter((rule) => rule !== undefined).map((rule) => `${at}: ${rule}`);
}

/**
 * Requires a package to be in the manifest of the importing workspace. Only tests, tools and imports of types may use
 * `devDependencies`, and only `import()` may load `peerDependencies`.
 */
function byManifest(
  repository: Repository,
  from: string,
  { typeOnly, dynamic }: Import,
  target: Target,
): string | undefined {
  const name = target.packageName;
  if (name === undefined || target.kind === 'builtin') return undefined;
  const workspace = workspaceOf(repository, from);
  const { folder, name: own, dependencies, devDependencies, peerDependencies } = workspace;
  if (name === own || dependencies.has(name)) return undefined;
  if (peerDependencies.has(name) && !isTest(from))
    return dynamic || typeOnly
      ? undefined
      : `${name} is a peerDependency in ${folder}package.json, so only import() may load it`;
  if (!devDependencies.has(name)) return `${folder}package.json does not list ${name}`;
  if (typeOnly || isTest(from) || isTool(from)) return undefined;
  return `${name} is a devDependency in ${folder}package.json, for tests only`;
}

/** Requires imports of another workspace to use its package name. */
function byWorkspace(
  repository: Repository,
  from: string,
  { file, packageName }: Extract<Target, { kind: 'ours' }>,
): string | undefined {
  if (file === undefined)
    return packageName === undefined
      ? 'it is outside the repository'
      : `${packageName} does not export it`;
  if (packageName !== undefined || areaOf(from)?.byPath) return undefined;
  const other = workspaceOf(repository, file);
  if (other === workspaceOf(repository, from)) return undefined;
  return `another workspace must be imported by its package name (${other.name || 'the root has none'})`;
}

function byReservation(from: string, imported: Import, name: string): string | undefined {
  const reserved = rules.RESERVED.find((one) => one.name === name);
  if (reserved === undefined || matches(from, reserved.only)) return undefined;
  if (reserved.typesAreFree && imported.typeOnly) return undefined;
  const who = [...reserved.only, 'tests'].join(', ');
  return `only ${who} may import ${name}${reserved.typesAreFree ? ' as a value' : ''}`;
}

/** Requires an import to respect the allowed areas and their entry files. */
function byArea(from: string, file: string | undefined): string | undefined {
  const here = areaOf(from);
  if (here === undefined || file === undefined || !/\.[cm]?[jt]sx?$/.test(file)) return undefined;
  if (isTest(file)) return 'only tests may import test files';
  const there = areaOf(file);
  if (there === here || here.may === 'everything') return undefined;
  if (there === undefined || !here.may.includes(there.name)) {
    const may = here.may.length === 0 ? 'nothing of ours' : `only ${here.may.join(', ')}`;
    return `${here.name} may import ${may}`;
  }
  if (there.entry === undefined || posix.basename(file) === there.entry) return undefined;
  return `${there.name} may be imported only through its ${there.entry}`;
}

/** Returns at least one import cycle for each group of files that import each other. */
function cyclesIn(edges: readonly Edge[]): string[] {
  const edgesOf = Map.groupBy(edges, ({ from }) => from);
  const found: string[] = [];
  const done = new Set<string>();
  const path: Edge[] = [];
  function visit(file: string): void {
    const start = path.findIndex(({ from }) => from === file);
    const [first] = start === -1 ? [] : path.slice(start);
    if (first !== undefined) {
      const files = [...path.slice(start).map(({ from }) => from), file];
      found.push(`${first.at}: an import cycle, ${files.join(' → ')}`);
    }
    if (first !== undefined || done.has(file)) return;
    for (const edge of edgesOf.get(file) ?? []) {
      path.push(edge);
      visit(edge.to);
      path.pop();
    }
    done.add(file);
  }
  for (const file of edgesOf.keys()) visit(file);
  return found;
}

function crowdedFolders(files: readonly string[]): string[] {
  const sources = files.filter((file) => !isTest(file));
  return [...Map.groupBy(sources, (file) => posix.dirname(file))].flatMap(([folder, { length }]) =>
    length <= rules.FILES_PER_FOLDER || rules.MAY_BE_CROWDED.includes(folder)
      ? []
      : [
          `${folder} has ${length} source files: more than ${rules.FILES_PER_FOLDER} need sub-folders`,
        ],
  );
}

function areaOf(file: string): rules.Area | undefined {
  return rules.AREAS.find(({ at }) => (at.endsWith('/') ? file.startsWith(at) : file === at));
}

function workspaceOf({ workspaces }: Repository, file: string): Workspace {
  const found = workspaces.find(({ folder }) => file.startsWith(folder));
  if (found === undefined) throw new TypeError('a repository has its root as last workspace');
  return found;
}

function isTest(file: string): boolean {
  return matches(file, rules.TESTS);
}

function isTool(file: string): boolean {
  return matches(file, rules.TOOLS);
}

function matches(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => posix.matchesGlob(file, pattern));
}
