import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleForNode } from '../../packages/server/build/vite.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache');
/**
 * The packages with the most modules, with every path of them that we import. `npm test` would load 1,300 modules of them
 * in each process. Only packages without CommonJS modules are suitable.
 */
export const BUNDLED = [
  'better-auth/db/adapter',
  'better-auth/minimal',
  'jose',
  'kysely',
  'typebox',
  'typebox/compile',
  'typebox/format',
  'typebox/schema',
  'typebox/system',
  'zod',
];

/**
 * Bundles the packages once per installation.
 *
 * @returns The path of a module that redirects imports of the packages to the bundle, for `node --import`.
 */
export async function bundlePackages(): Promise<string> {
  const installed = readFileSync(join(ROOT, 'node_modules/.package-lock.json'));
  const own = readFileSync(import.meta.filename);
  const hash = createHash('sha256').update(installed).update(own).digest('hex').slice(0, 16);
  const folder = join(CACHE, `gatehouse-packages-${hash}`);
  const preload = join(folder, 'preload.mjs');
  if (existsSync(preload)) return preload;
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(join(CACHE, 'gatehouse-packages-'));
  await bundle(unfinished);
  writeFileSync(join(unfinished, 'preload.mjs'), preloadOf(folder));
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // A concurrent run may have created the folder.
    if (!existsSync(preload)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  return preload;
}

function bundle(folder: string): Promise<void> {
  return bundleForNode({
    input: Object.fromEntries(BUNDLED.map((name) => [fileOf(name), name])),
    folder,
    conditions: ['node', 'import'],
    chunks: 'shared-[hash].mjs',
  });
}

function fileOf(specifier: string): string {
  return specifier.replaceAll('/', '-');
}

function preloadOf(folder: string): string {
  const urls = BUNDLED.map((name) => [name, pathToFileURL(join(folder, `${fileOf(name)}.mjs`))]);
  return `import { registerHooks } from 'node:module';
const urls = new Map(${JSON.stringify(urls)});
registerHooks({
  resolve(specifier, context, nextResolve) {
    const url = urls.get(specifier);
    return url === undefined ? nextResolve(specifier, context) : { url, format: 'module', shortCircuit: true };
  },
});
`;
}
