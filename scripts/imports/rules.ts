/** A place in the repository and what of ours its files may import, besides each other. */
export interface Place {
  readonly name: string;
  /** A folder (ending with `/`) or one file. A file belongs to the first place that it lies in. */
  readonly at: string;
  /** Names of places. */
  readonly may: 'everything' | readonly string[];
  /** The one file that other places may import, where the rest of the folder is private. */
  readonly door?: string;
  /** May import files of other workspaces by their path, not only packages by their name. */
  readonly byPath?: true;
}

const SERVER = 'packages/server/src';
const WIDGET = 'packages/widget';
const CORE = ['ports', 'contract', 'filter', 'json', 'text', 'background', 'sealing'];
export const FEATURES = [
  'access',
  'spaces',
  'copy',
  'installation',
  'signing-keys',
  'links',
  'knowledge',
  'chat',
  'sources',
  'readers',
  'retention',
  'deliveries',
  'sinks',
  'events',
  'widget',
];

function feature(name: string): Place {
  const may = [...CORE, 'http', ...FEATURES.filter((other) => other !== name)];
  return { name, at: `${SERVER}/${name}/`, may, door: 'index.ts' };
}

/** Who may import whom. Among features, and among files everywhere, circles are refused too. */
export const PLACES: readonly Place[] = [
  { name: 'contract', at: 'packages/contract/', may: [] },
  { name: 'filter', at: 'packages/filter/', may: [] },
  { name: 'ports', at: `${SERVER}/ports/`, may: ['contract', 'filter', 'text'] },
  { name: 'json', at: `${SERVER}/json/`, may: ['contract'], door: 'index.ts' },
  { name: 'text', at: `${SERVER}/text/`, may: [], door: 'index.ts' },
  { name: 'sealing', at: `${SERVER}/sealing/`, may: [], door: 'index.ts' },
  { name: 'background', at: `${SERVER}/background/`, may: [], door: 'index.ts' },
  ...FEATURES.map(feature),
  { name: 'adapters', at: `${SERVER}/adapters/`, may: [...CORE, 'migrations'] },
  {
    name: 'http',
    at: `${SERVER}/http/`,
    may: ['contract', 'json', 'ports', 'text'],
    door: 'index.ts',
  },
  { name: 'config', at: `${SERVER}/config/`, may: ['contract'] },
  { name: 'app.ts', at: `${SERVER}/app.ts`, may: 'everything' },
  { name: 'start.ts', at: `${SERVER}/start.ts`, may: 'everything' },
  { name: 'start', at: `${SERVER}/start/`, may: 'everything' },
  { name: 'open-installation.ts', at: `${SERVER}/open-installation.ts`, may: 'everything' },
  { name: 'cli', at: `${SERVER}/cli/`, may: 'everything' },
  {
    name: 'operator-failure.ts',
    at: `${SERVER}/operator-failure.ts`,
    may: ['adapters', 'config', 'ports'],
  },
  { name: 'log.ts', at: `${SERVER}/log.ts`, may: [] },
  { name: 'version.ts', at: `${SERVER}/version.ts`, may: [] },
  {
    name: 'main.ts',
    at: `${SERVER}/main.ts`,
    may: ['start.ts', 'config', 'operator-failure.ts', 'log.ts'],
  },
  { name: 'widget protocol', at: `${WIDGET}/protocol/`, may: [] },
  { name: 'widget loader', at: `${WIDGET}/loader/`, may: ['widget protocol'] },
  { name: 'widget frame', at: `${WIDGET}/frame/`, may: ['contract', 'widget protocol'] },
  { name: 'widget build', at: `${WIDGET}/build/`, may: [] },
  { name: 'migrations', at: 'packages/server/migrations/', may: ['ports'] },
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
    only: [
      `${SERVER}/adapters/**`,
      'packages/server/migrations/**',
      `${SERVER}/ports/**`,
      `${SERVER}/**/*.repository.ts`,
    ],
  },
  { name: 'pg', typesAreFree: false, only: [`${SERVER}/adapters/postgres/**`] },
  { name: 'node:sqlite', typesAreFree: false, only: [`${SERVER}/adapters/sqlite/**`] },
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
