import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

/** Limits in bytes after gzip, from `sizeLimits` in package.json. */
export interface SizeLimits {
  /** The script that every embedding page loads, even if nobody opens the chat. */
  readonly loader: number;
  /** All files that the first opening loads, including `loader` and the largest translation. */
  readonly firstOpening: number;
}

export interface Size {
  readonly name: keyof SizeLimits;
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
/** A frame loads at most one of these chunks. */
const TRANSLATIONS = /^frame\/translations\//;

/**
 * Measures the built files after gzip at the highest level.
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

/** Formats one line per file and one line per total. Marks totals that exceed their limits. */
export function formatSizes(sizes: readonly Size[]): string {
  return sizes
    .flatMap(({ name, files, bytes, limit }) => [
      ...files.map((file) => `${String(file.bytes).padStart(8)}  ${file.name}`),
      `${String(bytes).padStart(8)}  ${name}, at most ${limit}${bytes > limit ? ': TOO LARGE' : ''}`,
      '',
    ])
    .join('\n');
}

function filesOf(manifest: Record<string, Chunk>, name: string): string[] {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`manifest.json has no entry ${name}; run npm run build`);
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

function sum(name: keyof SizeLimits, files: Files, limits: SizeLimits): Size {
  const bytes = files.reduce((all, file) => all + file.bytes, 0);
  return { name, files, bytes, limit: limits[name] };
}
