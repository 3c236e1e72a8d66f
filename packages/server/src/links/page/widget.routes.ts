import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { widgetPage } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, route } from '../../http/index.ts';
import { registerAssetRoutes } from './asset.routes.ts';
import { type BuiltWidget, readBuiltWidget } from './built-files.ts';

export interface WidgetRoutesDeps {
  readonly spaceOfToken: (token: string) => Promise<string | null>;
  readonly origins: {
    allowedOrigins(spaceId: string): Promise<readonly string[]>;
  };
}

const NONCE_BYTES = 16;

/**
 * Registers `GET /widget/{token}` and the assets of the page. The page is the same for every token and exchanges the
 * token in the browser. Responses never contain the token. Throws `NotBuilt`.
 */
export function registerWidgetRoutes(app: FastifyInstance, deps: WidgetRoutesDeps): void {
  const widget = readBuiltWidget();
  const pageFor = pageOf(widget);
  registerAssetRoutes(app, widget);

  route(app, widgetPage, {
    caller: anyone,
    async handle({ params }) {
      const nonce = randomBytes(NONCE_BYTES).toString('base64');
      const ancestors = await allowedAncestors(deps, params.token);
      return {
        status: 200,
        text: pageFor(nonce, ancestors),
        headers: {
          'content-security-policy': widgetPolicy(nonce, ancestors),
          'referrer-policy': 'no-referrer',
          'x-robots-tag': 'noindex',
          'cache-control': 'no-store',
          // Prevents DNS prefetching, which would reveal the hosts that the assistant's answers link to.
          'x-dns-prefetch-control': 'off',
          // Lets cross-origin isolated pages frame the widget.
          'cross-origin-embedder-policy': 'require-corp',
          'cross-origin-resource-policy': 'cross-origin',
        },
      };
    },
  });
}

async function allowedAncestors(
  { spaceOfToken, origins }: WidgetRoutesDeps,
  token: string,
): Promise<readonly string[]> {
  const spaceId = await spaceOfToken(token);
  return spaceId === null ? [] : webOrigins(await origins.allowedOrigins(spaceId));
}

const TEMPLATE = readFileSync(new URL('./page.html', import.meta.url), 'utf8');
const ASSET_PATH = '/widget/assets';

type Names = Pick<BuiltWidget, 'script' | 'imports' | 'styles'>;

/**
 * Returns a function that renders the widget page for a nonce (base64) and the origins that may frame the page. The page's
 * script accepts messages from these origins. Nonce and origins are not escaped, so they must be safe inside an attribute.
 */
export function pageOf({ script, imports, styles }: Names) {
  const links = [
    ...styles.map((name) => `<link rel="stylesheet" nonce="{nonce}" href="${ASSET_PATH}/${name}">`),
    ...imports.map(
      (name) =>
        `<link rel="modulepreload" nonce="{nonce}" href="${ASSET_PATH}/${name}" crossorigin>`,
    ),
  ];
  const template = TEMPLATE.replace('{links}', links.join('\n')).replace(
    '{script}',
    `${ASSET_PATH}/${script}`,
  );
  return (nonce: string, ancestors: readonly string[]): string =>
    template.replaceAll('{nonce}', nonce).replace('{ancestors}', ancestors.join(' '));
}

/** Scheme, host and port, without characters that could end a directive or an attribute. */
const ORIGIN = /^https?:\/\/[a-z0-9.\-_:[\]]+$/i;

/** Returns the strings that are web origins. Only web origins are safe to insert into a policy or a page. */
export function webOrigins(texts: readonly string[]): string[] {
  return texts.filter((text) => ORIGIN.test(text));
}

/**
 * Returns the Content-Security-Policy of the widget page (https://www.w3.org/TR/CSP3/). The policy allows the page's own
 * script and style, requests to this service, and embedding by this service and `ancestors`. It requires Trusted Types.
 *
 * @param nonce A new base64 nonce for each response.
 * @param ancestors Web origins that have passed `webOrigins`.
 */
export function widgetPolicy(nonce: string, ancestors: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    ["frame-ancestors 'self'", ...ancestors].join(' '),
  ].join('; ');
}
