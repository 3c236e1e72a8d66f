import { ApiError, exchangeLink } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import {
  type AllowedOrigins,
  answerHeaders,
  answerPreflights,
  anyone,
  EXPOSED,
  foreignOrigin,
  type Headers,
  limitByAddress,
  OPAQUE_ORIGIN,
  route,
  VARY,
} from '../../http/index.ts';
import { linkEnded, unknownToken } from '../links/link.errors.ts';
import type { Links } from '../links/link.service.ts';
import { jsonWith } from '../links/payload.rules.ts';
import type { Exchange } from './exchange.service.ts';

export interface ExchangeRoutesDeps {
  readonly links: Pick<Links, 'exchange'>;
  readonly origins: AllowedOrigins;
  /** The service's own address, whose pages need no permission. */
  readonly baseUrl: () => string;
  /** Exchanges a minute from one address; 0: no limit. */
  readonly exchangesPerMinute: number;
}

const ALLOW = 'POST, OPTIONS';

/** What an opaque page may read, whatever the answer: it must be able to say why there is no session. */
const OPAQUE = { ...VARY, ...EXPOSED, 'access-control-allow-origin': OPAQUE_ORIGIN };

/** `POST /assistant-link/exchange`, and the preflight of browsers on other origins. */
export function registerExchangeRoutes(app: FastifyInstance, deps: ExchangeRoutesDeps): void {
  app.register(async (part) => {
    // Before the limit of requests, which answers by itself.
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
      const headers = await answerHeaders(origins, origin, exchange.spaceId);
      return { status: 200, text: toText(exchange, headers), headers };
    },
  });

  answerPreflights(app, exchangeLink.path, origins, {
    methods: ['POST'],
    headers: ['content-type'],
  });

  // Otherwise they would be taken for `/assistant-link/{linkId}`.
  app.route({
    method: ['GET', 'DELETE'],
    url: exchangeLink.path,
    handler: async () => {
      throw otherMethod();
    },
  });
}

type Known = Exclude<Exchange, { outcome: 'unknown' }>;

function toText(exchange: Known, headers: Headers): string {
  if (exchange.outcome === 'active')
    return jsonWith(exchange.session, { jwtPayload: exchange.payload });
  throw linkEnded({ state: exchange.outcome, loginUrl: exchange.loginUrl, headers });
}

function otherMethod(): ApiError {
  return new ApiError({
    status: 405,
    code: 'http.method-not-allowed',
    message: `This route takes ${ALLOW}.`,
    headers: { allow: ALLOW },
  });
}
