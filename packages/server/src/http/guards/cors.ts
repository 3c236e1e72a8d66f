import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * What a browser calls the origin of a page that has none, such as one in a sandboxed frame. Such pages may
 * use whatever answers across origins at all (decision 0018).
 */
export const OPAQUE_ORIGIN = 'null';

/** Which web origins may reach a space from a browser. */
export interface AllowedOrigins {
  /** Whether any space names this origin. */
  isAllowedSomewhere(origin: string): Promise<boolean>;
  /** The origins that a space names. */
  allowedOrigins(spaceId: string): Promise<readonly string[]>;
}

/** For what opaque origins alone may use. */
export const NO_NAMED_ORIGINS: AllowedOrigins = {
  isAllowedSomewhere: async () => false,
  allowedOrigins: async () => [],
};

export type Headers = Readonly<Record<string, string>>;

/** What a page on another origin may send to a path, and read of its answer. */
export interface CrossOrigin {
  readonly methods: readonly string[];
  /** Request headers, besides those that need no leave. */
  readonly headers: readonly string[];
}

/** Said of every answer that a foreign page may read, since what it carries depends on who asks. */
export const VARY: Headers = { vary: 'Origin' };

/** What scripts on such a page may read of an answer besides its body. */
export const EXPOSED: Headers = { 'access-control-expose-headers': 'retry-after, x-request-id' };

const PREFLIGHT_SECONDS = 600;

/**
 * Answers the preflights of a path (https://fetch.spec.whatwg.org/#http-cors-protocol), always 204.
 * Which space is meant stands in the request that is yet to come, so that an origin is let through when
 * it is opaque or any space names it; the answer itself then asks the space's own list.
 *
 * @param path in Fastify's form.
 */
export function answerPreflights(
  app: FastifyInstance,
  path: string,
  origins: AllowedOrigins,
  { methods, headers }: CrossOrigin,
): void {
  app.options(path, async ({ headers: { origin } }, reply) => {
    reply.code(204).headers({ ...VARY, allow: [...methods, 'OPTIONS'].join(', ') });
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

/** The headers that let the page on `origin` read an answer about this space, if it may. */
export async function answerHeaders(
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
 * The origin of the page that asks, unless it is one of ours: browsers send `Origin` with every POST,
 * also to where the page came from.
 */
export function foreignOrigin(request: FastifyRequest, baseUrl: string): string | undefined {
  const { origin } = request.headers;
  return origin === baseUrl ? undefined : origin;
}
