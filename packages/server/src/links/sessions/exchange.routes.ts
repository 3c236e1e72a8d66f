import { exchangeLink } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import {
  type AllowedOrigins,
  anyone,
  corsHeaders,
  EXPOSED,
  foreignOrigin,
  type Headers,
  limitByAddress,
  OPAQUE_ORIGIN,
  respondToPreflights,
  route,
  unknownRoute,
  VARY,
} from '../../http/index.ts';
import { linkEnded, unknownToken } from '../links/link.errors.ts';
import type { Links } from '../links/link.service.ts';
import { jsonWith } from '../links/payload.rules.ts';
import type { Exchange } from './exchange.service.ts';

export interface ExchangeRoutesDeps {
  readonly links: Pick<Links, 'exchange'>;
  readonly origins: AllowedOrigins;
  readonly baseUrl: () => string;
  /** Maximum exchanges per minute from one address. 0 disables the limit. */
  readonly exchangesPerMinute: number;
}

/** CORS headers for opaque origins. Every response has them, because the page must show why an exchange failed. */
const OPAQUE = { ...VARY, ...EXPOSED, 'access-control-allow-origin': OPAQUE_ORIGIN };

export function registerExchangeRoutes(app: FastifyInstance, deps: ExchangeRoutesDeps): void {
  app.register(async (part) => {
    // Must run before the rate limit, which sends its own response.
    part.addHook('onRequest', (request, reply, done) => {
      reply.headers(request.headers.origin === OPAQUE_ORIGIN ? OPAQUE : VARY);
      done();
    });
    registerExchange(part, deps);
  });
}

function registerExchange(app: FastifyInstance, deps: ExchangeRoutesDeps): void {
  const { links, origins, baseUrl, exchangesPerMinute } = deps;
  route(app, exchangeLink, {
    caller: anyone,
    ...limitByAddress(exchangeLink, exchangesPerMinute),
    async handle({ body, request }) {
      const exchange = await links.exchange(body.linkToken);
      if (exchange.outcome === 'unknown') throw unknownToken();
      const origin = foreignOrigin(request, baseUrl());
      const headers = await corsHeaders(origins, origin, exchange.spaceId);
      return { status: 200, text: toText(exchange, headers), headers };
    },
  });

  respondToPreflights(app, exchangeLink.path, origins, {
    methods: ['POST'],
    headers: ['content-type'],
  });

  // Without this route, GET and DELETE requests would match `/assistant-link/{linkId}`.
  app.route({
    method: ['GET', 'DELETE'],
    url: exchangeLink.path,
    handler: async (request) => {
      throw unknownRoute(request);
    },
  });
}

type Known = Exclude<Exchange, { outcome: 'unknown' }>;

function toText(exchange: Known, headers: Headers): string {
  if (exchange.outcome === 'active')
    return jsonWith(exchange.session, { jwtPayload: exchange.payload });
  throw linkEnded({ state: exchange.outcome, loginUrl: exchange.loginUrl, headers });
}
