import {
  documentation,
  documentationFile,
  documentationPage,
  openDocumentation,
} from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { loadOnce } from '../../../lib/caching/index.ts';
import { notFound } from '../../api-errors.ts';
import { acceptsCoding } from '../../bodies/content-codings.ts';
import { anyone, route } from '../../route.ts';
import { type BuiltSite, readBuiltSite } from './built-site.ts';

/** The policy allows scripts, styles, images and requests only of this service, and nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  vary: 'Accept-Encoding',
};

/** Pages that were at `/docs/guides/{name}` in earlier releases. They are now at `/docs/{name}`. */
const MOVED = ['operations', 'configuration', 'data-retention', 'glossary'];

/**
 * Serves the built documentation site at `/docs/`. The site is read on the first request.
 *
 * @param load reads the built site.
 */
export function registerDocumentation(app: FastifyInstance, load = () => readBuiltSite()): void {
  const readOnce = loadOnce(load);
  const serve = async (path: string, request: FastifyRequest) =>
    pageResponse(await readOnce(), path, request);

  route(app, openDocumentation, {
    caller: anyone,
    // Relative URLs work behind proxies that serve Gatehouse below a path.
    handle: () => ({ status: 302, headers: { location: 'docs/' } }) as const,
  });

  route(app, documentation, {
    caller: anyone,
    handle: ({ request }) => serve('index.html', request),
  });

  route(app, documentationPage, {
    caller: anyone,
    handle: ({ params, request }) => serve(`${params.page}.html`, request),
  });

  route(app, documentationFile, {
    caller: anyone,
    async handle({ params: { folder, name }, request }) {
      if (folder === 'guides' && MOVED.includes(name))
        return { status: 302, headers: { location: `../${name}` } } as const;
      return serve(folder === 'assets' ? `assets/${name}` : `${folder}/${name}.html`, request);
    },
  });
}

async function pageResponse(site: BuiltSite, path: string, { headers }: FastifyRequest) {
  const file = site.get(path);
  if (file === undefined)
    throw notFound(
      'http.not-found',
      site.size === 0
        ? 'The documentation is not built; run `npm run build`.'
        : 'The documentation has no such page; see /docs/ for all pages.',
    );
  const { etag, isImmutable, mediaType } = file;
  const cacheControl = isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=60';
  const common = { ...HEADERS, etag, 'cache-control': cacheControl };
  if (isCurrent(headers['if-none-match'], etag)) return { status: 304, headers: common } as const;
  const gzip = acceptsCoding(headers['accept-encoding'], 'gzip');
  return {
    status: 200,
    bytes: await file.read(gzip),
    headers: {
      ...common,
      'content-type': mediaType,
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    },
  } as const;
}

/** Reports whether `If-None-Match` names the tag. The comparison is weak (RFC 9110, section 13.1.2). */
function isCurrent(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((tag) => tag.trim());
  return known.includes('*') || known.some((tag) => tag.replace(/^(W\/)?/, 'W/') === etag);
}
