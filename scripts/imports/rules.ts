/** A part of the repository, with the areas that its files may import. */
export interface Area {
  readonly name: string;
  /** A folder (ending with `/`) or one file. A file belongs to the first area that matches. */
  readonly at: string;
  readonly may: 'everything' | readonly string[];
  /** File name of entry files. Other areas may import only files with this name, in the folder or its sub-folders. */
  readonly entry?: string;
  /** Permits imports of other workspaces by path instead of by package name. */
  readonly byPath?: true;
}

const SERVER = 'packages/server/src';
const WIDGET = 'packages/widget';
const CLIENT = 'packages/client';
const CONSOLE = 'packages/console';
const SITE = 'packages/site';
const CLI = 'packages/cli';

/** The modules of the server in dependency order. A module may import the modules before it. */
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

/**
 * All areas, including those without restrictions. Import cycles, including type imports, are rejected in every area.
 */
export const AREAS: readonly Area[] = [
  { name: 'contract', at: 'packages/contract/', may: [] },
  { name: 'filter', at: 'packages/filter/', may: [] },
  ...MODULES.map(module),
  { name: 'start', at: `${SERVER}/start/`, may: 'everything' },
  { name: 'app.ts', at: `${SERVER}/app.ts`, may: 'everything' },
  { name: 'main.ts', at: `${SERVER}/main.ts`, may: ['start', 'platform'] },
  { name: 'widget protocol', at: `${WIDGET}/protocol/`, may: [] },
  { name: 'widget names', at: `${WIDGET}/loader/names.ts`, may: ['contract'] },
  {
    name: 'widget tools',
    at: `${WIDGET}/loader/tools/`,
    may: ['contract', 'widget protocol'],
  },
  {
    name: 'widget loader',
    at: `${WIDGET}/loader/`,
    may: ['widget protocol', 'widget names', 'widget tools'],
  },
  { name: 'widget frame', at: `${WIDGET}/frame/`, may: ['contract', 'widget protocol'] },
  { name: 'widget build', at: `${WIDGET}/build/`, may: [] },
  { name: 'site theme', at: `${SITE}/theme/`, may: [] },
  { name: 'site build', at: `${SITE}/build/`, may: ['contract', 'site theme'] },
  { name: 'client', at: `${CLIENT}/src/`, may: ['contract'] },
  {
    name: 'console app',
    at: `${CONSOLE}/app/`,
    may: ['client', 'console components', 'console pages', 'console translations'],
  },
  {
    name: 'console components',
    at: `${CONSOLE}/components/`,
    may: ['client', 'filter', 'console app', 'console translations'],
  },
  {
    name: 'console pages',
    at: `${CONSOLE}/pages/`,
    may: ['client', 'filter', 'console app', 'console components', 'console translations'],
  },
  { name: 'console translations', at: `${CONSOLE}/translations/`, may: [] },
  { name: 'console build', at: `${CONSOLE}/build/`, may: ['widget build'] },
  { name: 'client build', at: `${CLIENT}/build/`, may: ['contract'] },
  { name: 'client tests', at: `${CLIENT}/tests/`, may: 'everything', byPath: true },
  { name: 'command line', at: `${CLI}/src/`, may: ['client', 'start'] },
  { name: 'command line build', at: `${CLI}/build/`, may: [] },
  { name: 'command line tests', at: `${CLI}/tests/`, may: 'everything', byPath: true },
  { name: 'server build', at: 'packages/server/build/', may: [] },
  { name: 'tests', at: 'packages/server/tests/', may: 'everything' },
  { name: 'demo', at: 'packages/server/demo/', may: 'everything' },
  { name: 'bench', at: 'bench/', may: 'everything', byPath: true },
  { name: 'scripts', at: 'scripts/', may: 'everything', byPath: true },
];

/** Packages that only some files may import. With `typesAreFree`, all files may import their types. */
export const RESERVED = [
  {
    name: 'kysely',
    typesAreFree: true,
    only: [`${SERVER}/storage/**`, `${SERVER}/**/*.repository.ts`],
  },
  { name: 'pg', typesAreFree: false, only: [`${SERVER}/storage/postgres/**`] },
  { name: 'node:sqlite', typesAreFree: false, only: [`${SERVER}/storage/sqlite/**`] },
  { name: 'zod', typesAreFree: false, only: [`${SERVER}/platform/settings/**`] },
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

export const TOOLS = [
  'bench/**',
  'scripts/**',
  `${CLIENT}/build/**`,
  `${CLI}/build/**`,
  'packages/server/build/**',
  `${SITE}/build/**`,
];

export const FILES_PER_FOLDER = 18;

/** Folders that may contain more files than `FILES_PER_FOLDER`. */
export const MAY_BE_CROWDED = ['packages/server/src/storage/migrations'];
