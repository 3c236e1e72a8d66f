// `npm run check:size`: compares the first page after gzip with `sizeLimits` in package.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { DIST } from './vite.ts';

const PAGE = '../../server/src/http/operations/console/page.html';
const ENTRY = 'app/main.tsx';
const STYLE = 'style.css';

type Manifest = Readonly<
  Record<string, { readonly file: string; readonly imports?: readonly string[] }>
>;

const { sizeLimits }: { sizeLimits: { firstPage: number } } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
);
const manifest: Manifest = JSON.parse(readFileSync(join(DIST, 'manifest.json'), 'utf8'));

/** Returns the files that an entry and its static imports load. */
function filesOf(name: string): string[] {
  const { file, imports = [] } = manifest[name] ?? { file: '' };
  return [file, ...imports.flatMap(filesOf)];
}

function sizeOf(file: string | URL): number {
  return gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }).length;
}

const names = new Set([...filesOf(ENTRY), manifest[STYLE]?.file ?? '']);
const sizes = [
  ...[...names].map((name) => [name, sizeOf(join(DIST, name))] as const),
  ['the page', sizeOf(new URL(PAGE, import.meta.url))] as const,
];
const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
const isTooLarge = total > sizeLimits.firstPage;
for (const [name, bytes] of sizes) console.log(`${String(bytes).padStart(8)}  ${name}`);
console.log(
  `${String(total).padStart(8)}  firstPage, at most ${sizeLimits.firstPage}${isTooLarge ? ': TOO LARGE' : ''}\n`,
);
if (isTooLarge) process.exitCode = 1;
