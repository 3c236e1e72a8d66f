import { setImmediate as nextTurn } from 'node:timers/promises';
import { Parser } from 'htmlparser2';

export interface Sitemap {
  /** URLs of pages. */
  readonly pages: readonly string[];
  /** URLs of the sitemaps in a sitemap index. */
  readonly sitemaps: readonly string[];
}

/** Characters that are parsed before other work of the process continues. */
const SLICE = 256 * 1024;

/** Reads a sitemap or a sitemap index (sitemaps.org), or a text file with one URL per line. */
export async function readSitemap(text: string): Promise<Sitemap> {
  if (!/^\s*</.test(text))
    return {
      pages: text
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter((line) => line !== ''),
      sitemaps: [],
    };
  const pages: string[] = [];
  const sitemaps: string[] = [];
  let parent = '';
  let location: string | null = null;
  const parser = new Parser(
    {
      // Elements of extensions have a prefix, such as `image:loc`.
      onopentag: (name) => {
        if (name === 'url' || name === 'sitemap') parent = name;
        else if (name === 'loc') location = '';
      },
      ontext: (chunk) => {
        if (location !== null) location += chunk;
      },
      onclosetag: (name) => {
        if (name === 'url' || name === 'sitemap') parent = '';
        if (name !== 'loc' || location === null) return;
        if (parent === 'url') pages.push(location.trim());
        if (parent === 'sitemap') sitemaps.push(location.trim());
        location = null;
      },
    },
    { xmlMode: true },
  );
  for (let at = 0; at < text.length; at += SLICE) {
    parser.write(text.slice(at, at + SLICE));
    await nextTurn();
  }
  parser.end();
  return { pages, sitemaps };
}
