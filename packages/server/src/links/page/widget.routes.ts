import { randomBytes } from 'node:crypto';
import { widgetPage } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, route } from '../../http/index.ts';
import { registerAssetRoutes } from './asset.routes.ts';
import { readBuiltWidget } from './built-files.ts';
import { pageOf } from './page.ts';
import { webOrigins, widgetPolicy } from './widget-policy.rules.ts';

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
