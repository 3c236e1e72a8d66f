import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the built documentation site. */
export interface SiteFile {
  readonly mediaType: string;
  /** Weak entity tag. It changes with the content. */
  readonly etag: string;
  /** Reports whether the name contains a hash of the content. */
  readonly isImmutable: boolean;
  /** Reads the content, compressed with gzip or not. */
  readonly read: (gzip: boolean) => Promise<Buffer>;
}

/** The files of the documentation site, by path. Requests look up paths in this map, so they cannot reach other files. */
export type BuiltSite = ReadonlyMap<string, SiteFile>;

const MANIFEST = '@gatehouse/site/dist/manifest.json';
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Returns the built site, which is empty if it has not been built. `npm ci` builds the site. */
export async function readBuiltSite(folder = builtFolder()): Promise<BuiltSite> {
  const manifest = folder === null ? '{}' : await readManifest(folder);
  const tags = Object.entries(JSON.parse(manifest) as Readonly<Record<string, string>>);
  return new Map(tags.map(([path, tag]) => [path, siteFile(join(folder ?? '', path), tag)]));
}

function siteFile(file: string, tag: string): SiteFile {
  return {
    mediaType: MEDIA_TYPES[extname(file)] ?? 'application/octet-stream',
    etag: `W/"${tag}"`,
    isImmutable: /-[\w-]{8}\.(?:css|js|json)$/.test(file),
    read: (gzip) => readFile(gzip ? `${file}.gz` : file),
  };
}

function builtFolder(): string | null {
  try {
    return dirname(fileURLToPath(import.meta.resolve(MANIFEST)));
  } catch {
    return null;
  }
}

async function readManifest(folder: string): Promise<string> {
  return readFile(join(folder, 'manifest.json'), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}';
    throw error;
  });
}
