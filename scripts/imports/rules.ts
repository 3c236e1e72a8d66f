/** A place in the repository and what of ours its files may import, besides each other. */
export interface Place {
  readonly name: string;
  /** A folder (ending with `/`) or one file. A file belongs to the first place that it lies in. */
  readonly at: string;
  /** Names of places. */
  readonly may: 'everything' | readonly string[];
  /** The name of the files that other places may import, in the folder itself or a sub-folder; the rest is private. */
  readonly door?: string;
  /** May import files of other workspaces by their path, not only packages by their name. */
  readonly byPath?: true;
}

const SERVER = 'packages/server/src';
const WIDGET = 'packages/widget';

/** The modules of the server in dependency order: each may import the ones before it. */
export const MODULES = [
  'lib',
  'storage',
  'platform',
  'http',
  'identity',
  'streams',
  'links',
  'knowledge',
  'ingest',
  'assistant',
  'outbound',
] as const;

function module(name: string, index: number): Place {
  const may = ['contract', 'filter', ...MODULES.slice(0, index)];
  return { name, at: `${SERVER}/${name}/`, may, door: 'index.ts' };
}

/** Who may import whom. Import cycles among files are rejected everywhere. */
export const PLACES: readonly Place[] = [
  { name: 'contract', at: 'packages/contract/', may: [] },
  { name: 'filter', at: 'packages/filter/', may: [] },
  ...MODULES.map(module),
  { name: 'start', at: `${SERVER}/start/`, may: 'everything' },
  { name: 'app.ts', at: `${SERVER}/app.ts`, may: 'everything' },
  { name: 'main.ts', at: `${SERVER}/main.ts`, may: ['start', 'platform'] },
  { name: 'widget protocol', at: `${WIDGET}/protocol/`, may: [] },
  { name: 'widget loader', at: `${WIDGET}/loader/`, may: ['widget protocol'] },
  { name: 'widget frame', at: `${WIDGET}/frame/`, may: ['contract', 'widget protocol'] },
  { name: 'widget build', at: `${WIDGET}/build/`, may: [] },
  { name: 'tests', at: 'packages/server/tests/', may: 'everything' },
  { name: 'demo', at: 'packages/server/demo/', may: 'everything' },
  { name: 'bench', at: 'bench/', may: 'everything', byPath: true },
  { name: 'scripts', at: 'scripts/', may: 'everything', byPath: true },
];

/** Packages that only some files may import, and whether a type alone is free. */
export const RESERVED = [
  {
    name: 'kysely',
    typesAreFree: true,
    only: [`${SERVER}/storage/**`, `${SERVER}/**/*.repository.ts`],
  },
  { name: 'pg', typesAreFree: false, only: [`${SERVER}/storage/postgres/**`] },
  { name: 'node:sqlite', typesAreFree: false, only: [`${SERVER}/storage/sqlite/**`] },
  { name: 'fast-check', typesAreFree: false, only: [] },
] as const;

/** Test files: no rule about places or reserved packages binds them, and no other file may import them. */
export const TESTS = [
  '**/*.test.ts',
  '**/*.suite.ts',
  '**/*arbitraries.ts',
  '**/tests/**',
  '**/demo/**',
];

/** Other files that no rule about reserved packages binds. They may use test files and `devDependencies`. */
export const TOOLS = ['bench/**', 'scripts/**'];
