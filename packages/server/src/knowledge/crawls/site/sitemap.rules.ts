import { MAX_PAGE_URL_LENGTH } from '@gatehouse/contract';
import { Parser } from 'htmlparser2';
import { slicesOf } from './pauses.ts';

export interface Sitemap {
  readonly pages: readonly string[];
  /** URLs of the sitemaps in a sitemap index. */
  readonly sitemaps: readonly string[];
  /** Number of entries that were read, including those that are too long for a URL. */
  readonly entries: number;
  /** True if reading stopped at a limit, so entries may be missing. */
  readonly isTruncated: boolean;
}

/** Maximum entries of a sitemap (sitemaps.org). */
const MAX_ENTRIES = 50_000;
/** Characters that are parsed without a pause. */
const SLICE = 64 * 1024;
/** Maximum depth of nested elements. The time that the parser takes for a tag grows with the depth. */
const MAX_DEPTH = 100;

/**
 * Reads a sitemap or a sitemap index (sitemaps.org), or a text file with one URL per line. Omits entries that are too long for a URL.
 *
 * @param maxEntries limit in addition to the limit of a sitemap.
 */
export async function readSitemap(text: string, maxEntries = MAX_ENTRIES): Promise<Sitemap> {
  const isXml = text.slice(0, SLICE).trimStart().startsWith('<');
  const sitemap = new OpenSitemap(Math.min(maxEntries, MAX_ENTRIES));
  await (isXml ? readXml(text, sitemap) : readLines(text, sitemap));
  return sitemap;
}

class OpenSitemap implements Sitemap {
  readonly pages: string[] = [];
  readonly sitemaps: string[] = [];
  entries = 0;
  isTruncated = false;
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  add(urls: string[], url: string): void {
    if (this.entries === this.#maxEntries) this.isTruncated = true;
    else {
      this.entries += 1;
      if (url.length <= MAX_PAGE_URL_LENGTH) urls.push(url);
    }
  }
}

async function readLines(text: string, sitemap: OpenSitemap): Promise<void> {
  const add = (line: string) => {
    const url = line.trim();
    if (url !== '') sitemap.add(sitemap.pages, url);
  };
  let unfinished = '';
  for await (const slice of slicesOf(text, SLICE)) {
    if (sitemap.isTruncated) return;
    const lines = `${unfinished}${slice}`.split('\n');
    // The rest of a line that is too long is not needed.
    unfinished = (lines.pop() ?? '').trimStart().slice(0, MAX_PAGE_URL_LENGTH + 1);
    for (const line of lines) add(line);
  }
  add(unfinished);
}

async function readXml(text: string, sitemap: OpenSitemap): Promise<void> {
  let parent = '';
  let location: string | null = null;
  let depth = 0;
  const parser = new Parser(
    {
      // Elements of extensions have a prefix, such as `image:loc`.
      onopentagname: (name) => {
        depth += 1;
        if (depth > MAX_DEPTH) sitemap.isTruncated = true;
        if (name === 'url' || name === 'sitemap') parent = name;
        else if (name === 'loc') location = '';
        if (sitemap.isTruncated) parser.pause();
      },
      ontext: (chunk) => {
        // The rest of a location that is too long is not needed.
        if (location !== null && location.length <= MAX_PAGE_URL_LENGTH)
          location = `${location}${chunk}`.trimStart();
      },
      onclosetag: (name) => {
        depth -= 1;
        if (name === 'url' || name === 'sitemap') parent = '';
        if (name !== 'loc' || location === null) return;
        if (parent === 'url') sitemap.add(sitemap.pages, location.trim());
        if (parent === 'sitemap') sitemap.add(sitemap.sitemaps, location.trim());
        location = null;
      },
    },
    { xmlMode: true },
  );
  for await (const slice of slicesOf(text, SLICE)) {
    if (sitemap.isTruncated) return;
    parser.write(slice);
  }
  if (!sitemap.isTruncated) parser.end();
}
