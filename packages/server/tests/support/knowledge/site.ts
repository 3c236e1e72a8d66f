import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startTestServer } from '../http/test-server.ts';

export interface SitePage {
  readonly html?: string;
  /** The body of a page that is not HTML. */
  readonly file?: Uint8Array;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Answer to the first request. */
  readonly first?: SitePage;
}

/** A site whose pages a test changes. Pages have an `ETag`. */
export interface Site extends AsyncDisposable {
  readonly url: string;
  /** Paths with query. */
  readonly pages: Map<string, SitePage>;
  /** Requested paths with the statuses of their responses, in order. `at` is in monotonic milliseconds. */
  readonly requests: {
    readonly path: string;
    readonly status: number;
    readonly agent: string;
    readonly at: number;
  }[];
  /** Status of all responses, if set. */
  outage: number | null;
  /** Called before a page is sent, with its path. */
  before: ((path: string) => Promise<void>) | null;
}

export async function startSite(pages: Readonly<Record<string, SitePage | string>>): Promise<Site> {
  const server = await startTestServer((request, response) => {
    const waited = site.before?.(request.url ?? '') ?? Promise.resolve();
    waited.then(
      () => answer(request, response),
      (error: Error) => response.destroy(error),
    );
  });
  const site: Site = {
    url: server.origin,
    pages: new Map(
      Object.entries(pages).map(([path, page]) => [
        path,
        typeof page === 'string' ? { html: page } : page,
      ]),
    ),
    requests: [],
    outage: null,
    before: null,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    const stored = site.pages.get(path);
    const page = stored?.first ?? stored;
    if (stored?.first !== undefined) {
      const { first: _, ...next } = stored;
      site.pages.set(path, next);
    }
    const body = page?.file ?? page?.html ?? '';
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
    const usual = page === undefined ? 404 : (page.status ?? 200);
    const isSame = usual === 200 && request.headers['if-none-match'] === etag;
    const status = site.outage ?? (isSame ? 304 : usual);
    site.requests.push({
      path,
      status,
      agent: request.headers['user-agent'] ?? '',
      at: performance.now(),
    });
    response.writeHead(status, { 'content-type': 'text/html', etag, ...page?.headers });
    response.end(status === 200 ? body : '');
  }
  return site;
}

/** Returns a page with a title, a text and links. */
export function pageOf(text: string, ...links: readonly string[]): string {
  const anchors = links.map((href) => `<a href="${href}">more</a>`).join(' ');
  return `<!doctype html><html lang="en"><head><title>${text}</title></head><body><p>${text}</p>${anchors}</body></html>`;
}
