import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type LinkState,
  widgetAsset,
  widgetLoader,
  widgetOpening,
  widgetPage,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { fileResponse } from '../../http/built-files/index.ts';
import { anyone, notFound, route } from '../../http/index.ts';
import { type BuiltWidget, readBuiltWidget } from './built-files.ts';

export interface WidgetRoutesDeps {
  readonly stateOfToken: (
    token: string,
  ) => Promise<{ readonly spaceId: string; readonly state: LinkState } | null>;
  readonly origins: {
    allowedOrigins(spaceId: string): Promise<readonly string[]>;
  };
}

const NONCE_BYTES = 16;

/**
 * Registers `GET /widget/{token}` and the assets of the page. The page exchanges the token in the browser. The pages of all
 * active links are equal, except for the allowed origins. Responses never contain the token. Throws `NotBuilt`.
 */
export function registerWidgetRoutes(app: FastifyInstance, deps: WidgetRoutesDeps): void {
  const widget = readBuiltWidget();
  const pageFor = pageOf(widget);
  registerAssetRoutes(app, widget);

  route(app, widgetPage, {
    caller: anyone,
    async handle({ params }) {
      const nonce = randomBytes(NONCE_BYTES).toString('base64');
      const link = await deps.stateOfToken(params.token);
      const ancestors =
        link === null ? [] : webOrigins(await deps.origins.allowedOrigins(link.spaceId));
      const isActive = link?.state === 'active';
      return {
        status: 200,
        text: pageFor({ nonce, ancestors, isActive }),
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

/** Contains the text field in `SHELL`, which is shown until the script has exchanged the token. */
const TEMPLATE = readFileSync(new URL('./page.html', import.meta.url), 'utf8');
const SHELL = /<!-- shell -->\n(.*\n)<!-- \/shell -->\n/s;
const COMMENT = /<!--.*?-->\n/g;
/** With white space before the header, the first render would move the text field, which would then lose the focus. */
const BODY = /(?<=<body>)\n/;
const ASSET_PATH = '/widget/assets';

type Names = Pick<BuiltWidget, 'script' | 'imports' | 'styles'>;

interface PageOptions {
  /** Base64. */
  readonly nonce: string;
  /** Web origins that may frame the page. The page's script accepts messages from these origins. */
  readonly ancestors: readonly string[];
  /** Reports whether the page shows a text field from the start, before its script runs. */
  readonly isActive: boolean;
}

/**
 * Returns a function that renders the widget page. Nonce and origins are not escaped, so they must be safe inside an
 * attribute.
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
  const active = template.replace(SHELL, '$1').replaceAll(COMMENT, '').replace(BODY, '');
  const other = template.replace(SHELL, '');
  return ({ nonce, ancestors, isActive }: PageOptions): string =>
    (isActive ? active : other)
      .replaceAll('{nonce}', nonce)
      .replace('{ancestors}', ancestors.join(' '));
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

/** Assets are public: pages on any origin may load them, including sandboxed pages with an opaque origin. */
const PUBLIC = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};
/** For files with a content hash in their name. */
const IMMUTABLE = { ...PUBLIC, 'cache-control': 'public, max-age=31536000, immutable' };
/** For files with a fixed name. Pages get a new version within ten minutes. */
const SHORT_LIVED = {
  ...PUBLIC,
  'cache-control': 'public, max-age=600, stale-while-revalidate=86400',
};

/** Registers `GET /embed.js`, the script that it loads, and the assets of the widget page. */
function registerAssetRoutes(app: FastifyInstance, widget: BuiltWidget): void {
  route(app, widgetLoader, {
    caller: anyone,
    handle: ({ request }) => fileResponse(widget.loader, request, SHORT_LIVED),
  });

  route(app, widgetOpening, {
    caller: anyone,
    handle: ({ request }) => fileResponse(widget.opening, request, SHORT_LIVED),
  });

  route(app, widgetAsset, {
    caller: anyone,
    handle({ params, request }) {
      const file = widget.assets.get(params.name);
      if (file === undefined)
        throw notFound('widget.not-found', 'The widget has no file with this name.');
      return fileResponse(file, request, IMMUTABLE);
    },
  });
}
