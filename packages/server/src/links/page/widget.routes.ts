import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { widgetPage } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, route } from '../../http/index.ts';
import { registerAssetRoutes } from './asset.routes.ts';
import { type BuiltWidget, readBuiltWidget } from './built-files.ts';

export interface WidgetRoutesDeps {
  /** The space of the link with this token, ended or not; null for any other text. */
  readonly spaceOfToken: (token: string) => Promise<string | null>;
  readonly origins: {
    /** The origins that may frame the widgets of a space. */
    allowedOrigins(spaceId: string): Promise<readonly string[]>;
  };
}

const NONCE_BYTES = 16;

/**
 * `GET /widget/{token}`: the same page for any token, which then exchanges it, and what it is made of.
 * The token is in no part of an answer. Throws `WidgetNotBuilt`.
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
          // Or else the browser looks up the hosts of links in answers, which tells them to others.
          'x-dns-prefetch-control': 'off',
          // So that pages which isolate themselves (COEP) may hold it in a frame too.
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
const AT = '/widget/assets';

type Names = Pick<BuiltWidget, 'script' | 'imports' | 'styles'>;

/**
 * Returns a function that renders the widget page.
 *
 * @returns renders the page for a nonce (base64), without which no script or style runs, and for the origins that may
 *   frame it, which its script accepts messages from. Both must be safe inside an attribute.
 */
export function pageOf({ script, imports, styles }: Names) {
  const links = [
    ...styles.map((name) => `<link rel="stylesheet" nonce="{nonce}" href="${AT}/${name}">`),
    ...imports.map(
      (name) => `<link rel="modulepreload" nonce="{nonce}" href="${AT}/${name}" crossorigin>`,
    ),
  ];
  const template = TEMPLATE.replace('{links}', links.join('\n')).replace(
    '{script}',
    `${AT}/${script}`,
  );
  return (nonce: string, ancestors: readonly string[]): string =>
    template.replaceAll('{nonce}', nonce).replace('{ancestors}', ancestors.join(' '));
}

/** Scheme, host and port, without characters that could end a directive or an attribute. */
const ORIGIN = /^https?:\/\/[a-z0-9.\-_:[\]]+$/i;

/** Returns the texts that are web origins. Only these may be inserted into a policy or a page. */
export function webOrigins(texts: readonly string[]): string[] {
  return texts.filter((text) => ORIGIN.test(text));
}

/**
 * Returns the Content-Security-Policy of the widget page (https://www.w3.org/TR/CSP3/): only its own script and style, no
 * strings as HTML or script, requests to this service only, and embedding by this service and the given origins.
 *
 * @param nonce new for each response, base64.
 * @param ancestors web origins that have passed `webOrigins`.
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
