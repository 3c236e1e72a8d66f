/** A part of the repository, and the other parts that its files may import. */
export interface Area {
  readonly name: string;
  /** A folder (ending with `/`) or one file. A file belongs to the first area that matches. */
  readonly at: string;
  /** Names of areas. */
  readonly may: 'everything' | readonly string[];
  /** Name of the files that other areas may import, in the folder or a sub-folder. All other files are private. */
  readonly entry?: string;
  /** Reports whether its files may import other workspaces by path instead of by package name. */
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

function module(name: string, index: number): Area {
  const may = ['contract', 'filter', ...MODULES.slice(0, index)];
  return { name, at: `${SERVER}/${name}/`, may, entry: 'index.ts' };
}

/** Import cycles among files are rejected everywhere, type imports included. */
export const AREAS: readonly Area[] = [
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

/** Packages that only some files may import; `typesAreFree` permits type imports everywhere. */
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

/** Test files. The rules about areas and reserved packages do not apply to them, and other files may not import them. */
export const TESTS = [
  '**/*.test.ts',
  '**/*.suite.ts',
  '**/*arbitraries.ts',
  '**/tests/**',
  '**/demo/**',
];

/** Tools. They may import everything, including test files and `devDependencies`. */
export const TOOLS = ['bench/**', 'scripts/**'];

/** Maximum number of source files in a folder; test files do not count. */
export const FILES_PER_FOLDER = 18;

/** Folders that may have more: migrations, one file per step. */
export const MAY_BE_CROWDED = ['packages/server/src/storage/migrations'];
