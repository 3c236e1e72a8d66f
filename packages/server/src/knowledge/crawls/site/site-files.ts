import robotsParser from 'robots-parser';
import { decodeBody, type SiteBody } from './content-encoding.ts';
import { withPauses } from './pauses.ts';
import { ROBOT_NAME, rulesForCrawler } from './robots.rules.ts';
import type { SiteClient, SiteResponse } from './site-client.ts';
import { readSitemap } from './sitemap.rules.ts';
import { canonicalUrl, isSameHost, pathOf } from './url.rules.ts';

/** The types of the package describe an ES module, but it is a CommonJS module. */
const parseRobots = robotsParser as unknown as (
  url: string,
  text: string,
) => {
  isAllowed(url: string, robot: string): boolean | undefined;
  getCrawlDelay(robot: string): number | undefined;
};

const MAX_ROBOTS_BYTES = 512 * 1024;
/** Limit of a sitemap (sitemaps.org). */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;
const MAX_SITEMAPS = 500;
const MAX_ENTRIES = 500_000;
const MAX_REDIRECTS = 5;

export interface Robots {
  mayRead(url: string): boolean;
  /** Milliseconds between two requests that `robots.txt` asks for. 0: none. */
  readonly delayMs: number;
}

/** The site could not be read, so nothing may be removed. */
export class SiteFailure extends Error {
  override readonly name = 'SiteFailure';
  /** True if the next attempt may succeed. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary: boolean) {
    super(message);
    this.isTemporary = isTemporary;
  }
}

/**
 * Reads `robots.txt` as RFC 9309 requires: a missing file permits everything, and an unreachable file forbids everything.
 * Throws `SiteFailure` if the file is unreachable.
 */
export async function readRobots(
  client: SiteClient,
  url: string,
  signal: AbortSignal,
): Promise<Robots> {
  const location = new URL('/robots.txt', url).href;
  const response = await follow(client, location, MAX_ROBOTS_BYTES, signal);
  if (!response.answered) throw new SiteFailure(`robots.txt: ${response.problem}`, true);
  const { status, body } = response;
  if (status >= 500 || status === 429)
    throw new SiteFailure(`robots.txt: the site answered with status ${status}`, true);
  if (status >= 300 && status < 400)
    throw new SiteFailure('robots.txt: the site redirects too often or to another host', false);
  const text = status === 200 ? usable(body, 'robots.txt: the file').toString() : '';
  const read = rulesForCrawler(text);
  if (read.problem !== null) throw new SiteFailure(`robots.txt: ${read.problem}`, false);
  const robots = parseRobots(location, read.rules);
  return {
    // The scheme of a page may differ from the scheme of `robots.txt`.
    mayRead: (page) => robots.isAllowed(new URL(pathOf(page), location).href, ROBOT_NAME) !== false,
    delayMs: Math.min(60_000, (robots.getCrawlDelay(ROBOT_NAME) ?? 0) * 1000),
  };
}

export interface SitemapRequest {
  readonly url: string;
  readonly robots: Robots;
  readonly signal: AbortSignal;
  /** Called before each request after the first one. */
  readonly wait: () => Promise<void>;
  readonly isWanted: (page: string) => boolean;
  /** Reading stops when more pages are found. */
  readonly maxPages: number;
  /** Maximum entries of all sitemaps together. Default 500,000. */
  readonly maxEntries?: number;
}

/**
 * Returns the wanted pages of a sitemap, or of all sitemaps of an index, on the host of the sitemap. `isLimited`: pages may be missing,
 * because a limit was reached. Throws `SiteFailure` if one of the files cannot be read, because its pages would look as if they were
 * removed.
 */
export async function readSitemaps(
  client: SiteClient,
  { url, robots, signal, wait, isWanted, maxPages, maxEntries = MAX_ENTRIES }: SitemapRequest,
): Promise<{ pages: ReadonlySet<string>; bytes: number; isLimited: boolean }> {
  const queue = new Set([url]);
  const pages = new Set<string>();
  let bytes = 0;
  let left = maxEntries;
  let isLimited = false;
  for (const location of queue) {
    if (left === 0) return { pages, bytes, isLimited: true };
    if (!robots.mayRead(location)) throw new SiteFailure('robots.txt forbids the sitemap', false);
    if (location !== url) await wait();
    const response = await follow(client, location, MAX_SITEMAP_BYTES, signal);
    if (!response.answered) throw new SiteFailure(`the sitemap: ${response.problem}`, true);
    const { status, body } = response;
    if (status !== 200)
      throw new SiteFailure(
        `the sitemap ${location} was answered with status ${status}`,
        status >= 500 || status === 429,
      );
    bytes += response.received;
    const sitemap = await readSitemap(await textOf(usable(body, 'the sitemap')), left);
    left -= sitemap.entries;
    isLimited ||= sitemap.isTruncated;
    for await (const found of withPauses(sitemap.pages)) {
      const page = canonicalUrl(found, location);
      if (page !== null && isSameHost(page, url) && isWanted(page)) pages.add(page);
      if (pages.size > maxPages) return { pages, bytes, isLimited: true };
    }
    for await (const found of withPauses(sitemap.sitemaps)) {
      const next = canonicalUrl(found, location);
      if (next !== null && isSameHost(next, url)) queue.add(next);
      if (queue.size > MAX_SITEMAPS)
        throw new SiteFailure(`the sitemap index has more than ${MAX_SITEMAPS} sitemaps`, false);
    }
  }
  return { pages, bytes, isLimited };
}

function usable({ bytes, problem }: SiteBody, name: string): Buffer {
  if (bytes === null) throw new SiteFailure(`${name} ${problem}`, false);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns the text of a sitemap, which can be a gzip file. */
async function textOf(body: Buffer): Promise<string> {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  const { bytes } = await decodeBody(body, isGzip ? 'gzip' : '', MAX_SITEMAP_BYTES);
  if (bytes !== null) return Buffer.from(bytes).toString();
  throw new SiteFailure('a sitemap is damaged or has more than 50 MiB', false);
}

/** Follows redirects on the same host. Returns the redirect if it leads elsewhere. */
async function follow(
  client: SiteClient,
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<SiteResponse> {
  let location = url;
  for (let redirects = 0; ; redirects += 1) {
    const response = await client.get(location, { maxBytes, signal });
    if (!response.answered || response.status < 300 || response.status >= 400) return response;
    const next = canonicalUrl(response.header('location') ?? '', location);
    if (next === null || !isSameHost(next, url) || redirects === MAX_REDIRECTS) return response;
    location = next;
  }
}
