import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withHead } from '../unknown-route.ts';

/**
 * The `Origin` header of pages with an opaque origin, such as pages in sandboxed frames. Such pages may use all cross-origin
 * operations (decision 10).
 */
export const OPAQUE_ORIGIN = 'null';

/** The web origins whose pages may call operations of a space. */
export interface AllowedOrigins {
  /** Reports whether any space allows this origin. */
  isAllowedSomewhere(origin: string): Promise<boolean>;
  allowedOrigins(spaceId: string): Promise<readonly string[]>;
}

export type Headers = Readonly<Record<string, string>>;

/** Methods and headers that pages on other origins may use. */
export interface CrossOrigin {
  readonly methods: readonly string[];
  /** Request headers, in addition to the CORS-safelisted request headers. */
  readonly headers: readonly string[];
}

/** This header is set on all cross-origin responses, because their CORS headers depend on the requesting origin. */
export const VARY: Headers = { vary: 'Origin' };

/** Response headers that scripts on other origins may read. */
export const EXPOSED: Headers = { 'access-control-expose-headers': 'retry-after, x-request-id' };

const PREFLIGHT_SECONDS = 600;

/**
 * Registers a route that responds with 204 to CORS preflight requests for a path
 * (https://fetch.spec.whatwg.org/#http-cors-protocol). A preflight does not identify the space, so it succeeds for opaque origins
 * and for origins that any space allows. The actual request then checks the origins of its space.
 *
 * @param path path in Fastify's syntax.
 */
export function respondToPreflights(
  app: FastifyInstance,
  path: string,
  origins: AllowedOrigins,
  { methods, headers }: CrossOrigin,
): void {
  app.crossOriginPaths.add(path);
  app.options(path, async ({ headers: { origin } }, reply) => {
    reply.code(204).headers({ ...VARY, allow: [...withHead(methods), 'OPTIONS'].join(', ') });
    if (origin === OPAQUE_ORIGIN || (origin && (await origins.isAllowedSomewhere(origin))))
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': headers.join(', '),
        'access-control-max-age': String(PREFLIGHT_SECONDS),
      });
    return reply.send();
  });
}

/** Returns the headers that let a page on `origin` read a response about this space, if the space allows the origin. */
export async function corsHeaders(
  origins: Pick<AllowedOrigins, 'allowedOrigins'>,
  origin: string | undefined,
  spaceId: string,
): Promise<Headers> {
  if (origin === undefined) return VARY;
  const isAllowed =
    origin === OPAQUE_ORIGIN || (await origins.allowedOrigins(spaceId)).includes(origin);
  return isAllowed ? { ...VARY, 'access-control-allow-origin': origin } : VARY;
}

/**
 * Returns the origin of the requesting page unless the page is on the service's own origin. Browsers send `Origin` with every
 * POST, even for the same origin.
 */
export function foreignOrigin(request: FastifyRequest, baseUrl: string): string | undefined {
  const { origin } = request.headers;
  return origin === baseUrl ? undefined : origin;
}
