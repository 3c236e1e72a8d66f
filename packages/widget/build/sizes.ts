import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

/** Limits in bytes of gzip: `sizeLimits` in package.json. */
export interface SizeLimits {
  /** The script that each page with a chat loads, even if nobody opens the chat. */
  readonly loader: number;
  /** All files of the first opening, including the script, in the largest translation. */
  readonly firstOpening: number;
}

export interface Size {
  readonly what: keyof SizeLimits;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  readonly bytes: number;
  readonly limit: number;
}

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const LOADER = 'embed.js';
const CHAT = 'embed-chat.js';
const ENTRY = 'frame/main.tsx';
const STYLE = 'style.css';
/** Chunks of which at most one is loaded. */
const TRANSLATIONS = /^frame\/translations\//;

/**
 * Measures the built files, compressed by gzip at the highest level.
 *
 * @param dist the folder of the built widget.
 * @param page the path of the page that loads the frame.
 */
export function measure(dist: string, page: string, limits: SizeLimits): Size[] {
  const manifest: Record<string, Chunk> = JSON.parse(
    readFileSync(join(dist, 'manifest.json'), 'utf8'),
  );
  const style = manifest[STYLE];
  const names = [
    LOADER,
    CHAT,
    ...filesOf(manifest, ENTRY),
    ...(style === undefined ? [] : [style.file]),
  ];
  const translations = Object.keys(manifest).filter((name) => TRANSLATIONS.test(name));
  const file = (path: string) => ({ name: path, bytes: gzipped(join(dist, path)) });
  const frame = { name: 'the page of the frame', bytes: gzipped(page) };
  return [
    sum('loader', [file(LOADER)], limits),
    sum(
      'firstOpening',
      [
        ...[...new Set(names)].map(file),
        ...largest(translations.map((name) => file(manifest[name]?.file ?? ''))),
        frame,
      ],
      limits,
    ),
  ];
}

/** Formats one line per file and one per sum. Marks sums over their limit. */
export function describe(sizes: readonly Size[]): string {
  return sizes
    .flatMap(({ what, files, bytes, limit }) => [
      ...files.map((file) => `${String(file.bytes).padStart(8)}  ${file.name}`),
      `${String(bytes).padStart(8)}  ${what}, at most ${limit}${bytes > limit ? ': TOO LARGE' : ''}`,
      '',
    ])
    .join('\n');
}

/** Returns the files of a chunk and its static imports. */
function filesOf(manifest: Record<string, Chunk>, name: string): string[] {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`the manifest has no ${name}`);
  const imported = (chunk.imports ?? []).flatMap((other) => filesOf(manifest, other));
  return [chunk.file, ...(chunk.css ?? []), ...imported];
}

type Files = Size['files'];

function largest(files: Files): Files {
  return files.toSorted((one, other) => other.bytes - one.bytes).slice(0, 1);
}

function gzipped(path: string): number {
  return gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION }).length;
}

function sum(what: keyof SizeLimits, files: Size['files'], limits: SizeLimits): Size {
  const bytes = files.reduce((all, file) => all + file.bytes, 0);
  return { what, files, bytes, limit: limits[what] };
}
