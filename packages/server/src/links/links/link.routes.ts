import {
  createLink,
  listLinks,
  revokeLink,
  revokeLinks,
  showKeySet,
  showLink,
  widgetPage,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, bytesOf, route, routesFor } from '../../http/index.ts';
import { type Access, replayWith } from '../../identity/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { type ExchangeRoutesDeps, registerExchangeRoutes } from '../sessions/exchange.routes.ts';
import type { WidgetSessions } from '../sessions/widget-session.service.ts';
import type { CreatedLink, Links } from './link.service.ts';
import { linkRequestIssues } from './link-request.rules.ts';
import { MAY_WRITE } from './link-target.service.ts';
import { jsonWith } from './payload.rules.ts';

export interface LinkRoutesDeps extends ExchangeRoutesDeps {
  readonly links: Links;
  readonly sessions: Pick<WidgetSessions, 'keySet'>;
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly clock: Clock;
}

/** `botId` has been deprecated since 2026-10-01. The header has Unix seconds (RFC 9745). */
const BOT_ID_DEPRECATED = {
  deprecation: `@${Date.UTC(2026, 9, 1) / 1000}`,
  link: '</docs/api>; rel="deprecation"; type="text/html"',
};

const KEY_SET_HEADERS = { 'cache-control': 'public, max-age=300' };

export function registerLinkRoutes(app: FastifyInstance, deps: LinkRoutesDeps): void {
  const { links, sessions, access, baseUrl, clock } = deps;
  const responseTo = ({ id, token, payload }: CreatedLink, headers = {}) => {
    const url = baseUrl() + widgetPage.path.replace('{token}', token);
    return {
      status: 200,
      text: jsonWith({ token, url }, { jwtPayload: payload }),
      headers: { location: `/assistant-link/${id}`, ...headers },
    } as const;
  };

  route(app, createLink, {
    caller: (request) => access.caller(request),
    rules: (body, caller) => linkRequestIssues(body, caller, clock()),
    replay: {
      ...replayWith(access, MAY_WRITE),
      isOneTransaction: true,
      restore: (link) => responseTo(link),
    },
    async handle({ caller, body, request, once }) {
      const byBotAlone = body.botId !== undefined && body.spaceId === undefined;
      let response: ReturnType<typeof responseTo> | undefined;
      const respond = (link: CreatedLink) => {
        response ??= responseTo(link, byBotAlone ? BOT_ID_DEPRECATED : {});
        return response;
      };
      const source = bytesOf(request.body);
      // A link of a bot is deleted with the bot, and its request must not create another link.
      const recorded = body.botId === undefined ? once.record() : null;
      if (recorded !== null) return respond(await links.create(caller, body, { source, recorded }));
      const joined = once.store((link: CreatedLink) => ({
        spaceId: link.spaceId,
        sub: body.sub ?? null,
        response: respond(link),
      }));
      return respond(await links.create(caller, body, { source, joined }));
    },
  });

  const routes = routesFor(app, (request) => access.caller(request));
  routes(listLinks, ({ caller, query }) => links.list(caller, query));

  route(app, showLink, {
    caller: (request) => access.caller(request),
    async handle({ caller, params }) {
      const shown = await links.show(caller, params.linkId.toLowerCase());
      const texts = {
        jwtPayload: shown.payload,
        userInformation: shown.userInformation ?? 'null',
      };
      return { status: 200, text: jsonWith(shown.link, texts) };
    },
  });

  routes(revokeLink, ({ caller, params }) => links.revoke(caller, params.linkId.toLowerCase()));
  routes(revokeLinks, async ({ caller, query }) => ({
    revoked: await links.revokeAll(caller, query),
  }));

  route(app, showKeySet, {
    caller: anyone,
    handle: async () => ({
      status: 200,
      body: await sessions.keySet(),
      headers: KEY_SET_HEADERS,
    }),
  });

  registerExchangeRoutes(app, deps);

  app.addHook('onClose', () => links.drain());
}
