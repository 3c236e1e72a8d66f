import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import * as http from 'node:http';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '../..');
const SERVER = join(ROOT, 'packages/server');
/** In a folder of the server, so that imports of packages find the versions of the server. */
const CACHE = join(SERVER, 'node_modules/.cache');
/** The programs of the service, of its commands, threads and parser processes, and the modules that start a service in the process of a test. */
const PROGRAMS = [
  ...['main.ts', 'start/commands/main.ts', '**/*-thread.ts', '**/parser-main.ts'],
  ...['start/index.ts', 'platform/settings/index.ts'],
]
  .flatMap((pattern) => globSync(pattern, { cwd: join(SERVER, 'src') }))
  // Scalar's package reads its own files.
  .filter((file) => !file.endsWith('/bundle-thread.ts'))
  .map((file) => join(SERVER, 'src', file));
/** Our packages whose code becomes part of the bundle. */
const OURS = ['contract', 'filter', 'server'];

/**
 * Bundles the programs of the service with all packages, once per state of the source files. A service under test then loads about
 * 20 files instead of 1,500, which reduces the processor time of its start from 1.2 s to 0.7 s.
 *
 * @returns The path of the service's program.
 */
export async function bundleServer(): Promise<string> {
  const folder = join(CACHE, `gatehouse-server-${hashOfSources()}`);
  const program = join(folder, 'main.mjs');
  if (existsSync(program)) return program;
  for (const old of globSync('gatehouse-server-*', { cwd: CACHE }))
    rmSync(join(CACHE, old), { recursive: true });
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(join(CACHE, 'unfinished-'));
  await bundle(unfinished);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // A concurrent run may have created the folder.
    if (!existsSync(program)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  return program;
}

function hashOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(import.meta.filename));
  hash.update(readFileSync(join(ROOT, 'node_modules/.package-lock.json')));
  const files = OURS.flatMap((name) => globSync(`packages/${name}/src/**/*.ts`, { cwd: ROOT }));
  for (const file of files.sort())
    if (!file.endsWith('.test.ts')) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

async function bundle(folder: string): Promise<void> {
  const { NODE_ENV } = process.env;
  await build({
    configFile: false,
    root: SERVER,
    logLevel: 'error',
    ssr: { noExternal: true, resolve: { conditions: ['node', 'default'] } },
    plugins: [
      { name: 'locations', enforce: 'pre', transform: withLocations },
      { name: 'http', enforce: 'pre', resolveId: virtualHttp, load: loadHttp },
    ],
    build: {
      ssr: true,
      outDir: folder,
      target: 'esnext',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        input: Object.fromEntries(PROGRAMS.map((file) => [nameOf(file), file])),
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  // Vite sets the variable. The tests would inherit it, and npm would then omit development dependencies.
  if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
}

function nameOf(program: string): string {
  return relative(join(SERVER, 'src'), program).replace(/\.ts$/, '').replaceAll('/', '.');
}

/**
 * Replaces the location of a module by the location of its source file, from where it reads other files. The programs that the
 * module starts are part of the bundle.
 */
function withLocations(code: string, file: string): string | null {
  if (!code.includes('import.meta.')) return null;
  const folder = dirname(file);
  return code
    .replaceAll(START, (match: string, thread?: string, program?: string) => {
      const path = join(folder, thread ?? program ?? '');
      if (!PROGRAMS.includes(path)) return match;
      const bundled = `./${nameOf(path)}.mjs`;
      return thread === undefined
        ? `(BUNDLE.dirname + '/${bundled}')`
        : `new URL('${bundled}', BUNDLE.url)`;
    })
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
    .replaceAll('import.meta.filename', JSON.stringify(file))
    .replaceAll('import.meta.dirname', JSON.stringify(folder))
    .replaceAll('BUNDLE.', 'import.meta.');
}
/** Matches the location of a thread or of another program. */
const START =
  /new URL\('(\S+-thread\.ts)', import\.meta\.url\)|join\(import\.meta\.dirname, '(\S+-main\.ts)'\)/g;

const HTTP = '\0node-http';

function virtualHttp(name: string): string | null {
  return name === 'node:http' || name === 'http' ? HTTP : null;
}

/** `import … from 'node:http'` loads also `fetch` and `WebSocket`, which takes 60 ms. */
function loadHttp(name: string): string | null {
  if (name !== HTTP) return null;
  const names = Object.keys(http).filter((one) => /^\w+$/.test(one) && !LAZY.has(one));
  return [
    "const http = process.getBuiltinModule('node:http');",
    'export default http;',
    ...names.map((one) => `export const ${one} = http.${one};`),
  ].join('\n');
}
const LAZY = new Set(['WebSocket', 'CloseEvent', 'MessageEvent', 'default']);
