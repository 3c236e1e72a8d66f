import { Readable } from 'node:stream';
import type { Operation } from '@gatehouse/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { ThreadScheduler, type WorkOwner } from '../lib/scheduling/index.ts';
import type { CallerSemaphores, ConcurrentCaller } from '../lib/threads/index.ts';
import { actingFrom } from '../platform/audit/index.ts';
import { actorOf, confirmActor } from './actors.ts';
import { bytesOf, type InputRules, readInput } from './bodies/input.ts';
import { ConfirmedRight } from './confirmed-right.ts';
import { clientGone } from './errors.ts';
import { notStored, type ReplayRules, runIdempotently } from './idempotency/keyed-route.ts';
import type { Once, ResponseOf, SendableResponse } from './response.ts';
import { inRequestContext } from './trace-requests.ts';

type Input<S> = S extends TSchema ? Static<S> : undefined;

export interface Call<O extends Operation, C> {
  readonly caller: C;
  readonly params: Input<O['params']>;
  readonly query: Input<O['query']>;
  readonly body: Input<O['body']>;
  readonly request: FastifyRequest;
  /**
   * Returns a signal that aborts if the client disconnects before the response, or if the request waited too long. The
   * signal's reason is the error to throw.
   */
  readonly gone: () => AbortSignal;
  readonly once: Once<O>;
}

export interface RouteOptions<O extends Operation, C> extends InputRules<C> {
  /**
   * Authenticates the caller from the headers, before the body is read. Throws 401 or 403. If the body takes long, the route
   * verifies the credential of a user or an API key again before it calls `handle`.
   */
  readonly caller: (request: FastifyRequest) => C | Promise<C>;
  /** Passes the body to the handler as bytes in `request.body`, without parsing and validation. */
  readonly rawBody?: true;
  /** For requests whose large bodies must not delay the requests of others. */
  readonly scheduling?: Scheduling<C>;
  /** Required for idempotent operations. */
  readonly replay?: ReplayRules<C>;
  readonly config?: Record<string, unknown>;
  readonly handle: (call: Call<O, C>) => ExplicitResponse<O> | Promise<ExplicitResponse<O>>;
}

/** Large bodies are parsed when the caller's semaphore permits it. The scheduler shares the event loop among the spaces. */
export interface Scheduling<C> {
  readonly ownerOf: (caller: C) => WorkOwner & ConcurrentCaller;
  readonly semaphores: CallerSemaphores;
}

/**
 * A response with explicit statuses. Without explicit statuses, TypeScript widens `status: 200` to `number` while inferring `O`.
 * Operations of other protocols have responses with statuses from 400; all other operations throw an `ApiError` instead.
 */
type ExplicitResponse<O extends Operation> = ResponseOf<O> & {
  readonly status: 200 | 201 | 202 | 204 | 302 | 304 | 400 | 404 | 406;
};

/** Minimum size in bytes of a large body. Parsing and validating 30 kB takes 0.7 ms. */
const LARGE_BODY_BYTES = 4096;
const parsing = new ThreadScheduler();

/** The `caller` of operations without a credential. */
export const anyone = (): null => null;

/**
 * Registers the route of an operation. The route authenticates the caller, validates the input and calls the handler. All
 * problems of the path parameters, query and body are reported in one 400 response with the code `<feature>.invalid`.
 *
 * @example
 * route(app, showLink, {
 *   caller: (request) => access.caller(request),
 *   handle: async ({ caller, params }) => ({ status: 200, body: await links.show(caller, params.linkId) }),
 * });
 */
export function route<O extends Operation, C>(
  app: FastifyInstance,
  operation: O,
  options: RouteOptions<O, C>,
): void {
  const callers = new WeakMap<FastifyRequest, { caller: C; right: ConfirmedRight }>();
  const read = readInput(operation, options.rawBody === true, options);
  const { replay } = options;
  if (operation.idempotent === true && replay === undefined)
    throw new Error(`the idempotent operation ${operation.id} has no replay rules`);
  app.route({
    method: operation.method,
    url: routePath(operation),
    ...(operation.bodyLimit === undefined ? {} : { bodyLimit: operation.bodyLimit }),
    config: { ...options.config, operation },
    onRequest: async (request) => {
      const caller = await inRequestContext(request, () => options.caller(request));
      callers.set(request, { caller, right: new ConfirmedRight() });
    },
    handler: async (request, reply) => {
      const known = callers.get(request);
      if (known === undefined)
        throw new Error('the handler ran before the caller was authenticated');
      const { caller, right } = known;
      await right.renew(() => inRequestContext(request, () => confirmActor(request)));
      const parse = () => read(request, caller) as Pick<Call<O, C>, 'params' | 'query' | 'body'>;
      const handle = async (once: Once<O>): Promise<SendableResponse> => {
        const gone = () => goneSignal(reply);
        const { scheduling } = options;
        if (scheduling === undefined || bytesOf(request.body).length <= LARGE_BODY_BYTES)
          return options.handle({ ...parse(), caller, request, gone, once });
        const owner = scheduling.ownerOf(caller);
        return scheduling.semaphores.run(owner, async (late) => {
          const ended = late === null ? gone() : AbortSignal.any([gone(), late]);
          ended.throwIfAborted();
          // The credential can end while the request waits.
          if (late !== null) await inRequestContext(request, () => confirmActor(request));
          const input = await parsing.run(owner.spaceId, parse);
          return options.handle({ ...input, caller, request, gone: () => ended, once });
        });
      };
      const origin = { actor: actorOf(request), address: request.ip };
      const response = await inRequestContext(request, () =>
        actingFrom(origin, () =>
          replay === undefined
            ? handle(notStored())
            : runIdempotently(app.idempotency, { request, caller, replay }, handle),
        ),
      );
      return send(reply, operation, response);
    },
  });
}

/** Returns the path of an operation in Fastify's syntax: `/spaces/:spaceId`. */
export function routePath({ path }: Pick<Operation, 'path'>): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const onClose = () => {
    if (!raw.writableFinished) gone.abort(clientGone());
  };
  if (raw.destroyed) onClose();
  else raw.once('close', onClose);
  return gone.signal;
}

/** Ends a stream for a HEAD request. Fastify would read it to its end in the background, even after the client has gone. */
function unread(stream: Readable): Readable {
  stream.destroy();
  return Readable.from([]);
}

function send(reply: FastifyReply, operation: Operation, response: SendableResponse): FastifyReply {
  reply.code(response.status);
  if (response.headers !== undefined) reply.headers(response.headers);
  const mediaType = operation.responses[response.status]?.mediaType ?? 'application/json';
  if (response.stream !== undefined) {
    const isText = mediaType.startsWith('text/');
    if (!reply.hasHeader('content-type'))
      reply.type(isText ? `${mediaType}; charset=utf-8` : mediaType);
    return reply.send(reply.request.method === 'HEAD' ? unread(response.stream) : response.stream);
  }
  const { body, bytes, text = bytes } = response;
  if (body === undefined && text === undefined) {
    // For a HEAD request, Fastify would add `Content-Length: 0` to a 204 or 304, unless the body is a stream.
    const isHead = reply.request.method === 'HEAD' && [204, 304].includes(response.status);
    return reply.send(isHead ? Readable.from([]) : undefined);
  }
  if (!reply.hasHeader('content-type')) reply.type(`${mediaType}; charset=utf-8`);
  return reply.send(text ?? JSON.stringify(body));
}
