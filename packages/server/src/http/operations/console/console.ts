import { readFileSync } from 'node:fs';
import { consoleAsset, consolePage } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound } from '../../api-errors.ts';
import { fileResponse, folderOf, readBuiltFiles } from '../../built-files/index.ts';
import { anyone, route } from '../../route.ts';

const FOLDER = folderOf(import.meta.resolve('@gatehouse/console/dist/manifest.json'));
const TEMPLATE = readFileSync(new URL('./page.html', import.meta.url), 'utf8');
const ASSETS = '/console/assets';

/** Content-Security-Policy of the console: only its own files, no inline scripts, the widget as its only frame, and no frames around it. */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': CONSOLE_POLICY,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};

export interface ConsoleDeps {
  /** Returns the URL that clients use, without a trailing slash. */
  readonly baseUrl: () => string;
}

/** Serves the page and the files of the console. Throws `NotBuilt`. */
export function registerConsole(app: FastifyInstance, { baseUrl }: ConsoleDeps): void {
  const { files, script, imports, styles } = readBuiltFiles({
    name: 'console',
    folder: FOLDER,
    entry: 'app/main.tsx',
  });
  const links = [
    ...styles.map((name) => `<link rel="stylesheet" href="${ASSETS}/${name}">`),
    ...imports.map((name) => `<link rel="modulepreload" href="${ASSETS}/${name}">`),
  ];
  const page = TEMPLATE.replace('{links}', links.join('\n')).replace(
    '{script}',
    `${ASSETS}/${script}`,
  );
  route(app, consolePage, {
    caller: anyone,
    handle({ request }) {
      const location = otherName(request, baseUrl());
      return location === null
        ? { status: 200, text: page, headers: PAGE_HEADERS }
        : { status: 302, headers: { location } };
    },
  });
  // The page itself reads the rest of the path.
  app.get('/console/*', (request, reply) => {
    const location = otherName(request, baseUrl());
    if (location !== null) reply.redirect(location);
    else reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page);
  });
  route(app, consoleAsset, {
    caller: anyone,
    handle({ params, request }) {
      const file = files.get(params.name);
      if (file === undefined)
        throw notFound('http.not-found', 'The console has no file with this name.');
      return fileResponse(file, request, ASSET_HEADERS);
    },
  });
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/**
 * Returns the URL of the page at the base URL if the request uses another loopback name, such as `localhost` instead of `127.0.0.1`. Console
 * sessions work only at the base URL. Otherwise returns null.
 */
function otherName({ headers, url }: FastifyRequest, baseUrl: string): string | null {
  const { host, protocol } = new URL(baseUrl);
  const given = headers.host ?? '';
  if (!LOOPBACK.test(given) || !LOOPBACK.test(host)) return null;
  return URL.parse(`${protocol}//${given}`)?.host === host ? null : baseUrl + url;
}
