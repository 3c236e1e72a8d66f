import type { Readable } from 'node:stream';
import { ApiError, type Operation } from '@gatehouse/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { type BodyRules, readInput } from './bodies/input.ts';
import { clientGone } from './errors.ts';

type Input<S> = S extends TSchema ? Static<S> : undefined;

export interface Call<O extends Operation, C> {
  readonly caller: C;
  readonly params: Input<O['params']>;
  readonly query: Input<O['query']>;
  readonly body: Input<O['body']>;
  readonly request: FastifyRequest;
  /** Returns a signal that aborts if the client disconnects before the response. The signal's reason is the error to throw. */
  readonly gone: () => AbortSignal;
}

type Headers = Readonly<Record<string, string>>;

/** The result of a handler: one of the operation's statuses and the matching body. */
export type AnswerOf<O extends Operation> = {
  [S in keyof O['answers'] & number]: O['answers'][S] extends { schema: infer T extends TSchema }
    ?
        | { status: S; body: Static<T>; headers?: Headers }
        | { status: S; text: string; headers?: Headers }
    : {
        status: S;
        text?: string;
        bytes?: Buffer;
        stream?: Readable;
        headers?: Headers;
      };
}[keyof O['answers'] & number];

export interface RouteOptions<O extends Operation, C> {
  /** Authenticates the caller from the headers, before the body is read. Throws 401 or 403. */
  readonly caller: (request: FastifyRequest) => C | Promise<C>;
  /** Passes the body to the handler as bytes in `request.body`, without parsing and validation. */
  readonly rawBody?: true;
  /** Checks of the body that the schema cannot express. Their issues are reported together with schema violations. */
  readonly rules?: BodyRules<C>;
  readonly config?: Record<string, unknown>;
  readonly handle: (call: Call<O, C>) => Given<O> | Promise<Given<O>>;
}

/**
 * An answer with explicit statuses. Without explicit statuses, TypeScript widens `status: 200` to `number` while inferring `O`.
 */
type Given<O extends Operation> = AnswerOf<O> & { readonly status: 200 | 201 | 202 | 204 };

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
  const callers = new WeakMap<FastifyRequest, { caller: C }>();
  const read = readInput(operation, options.rawBody === true, options.rules);
  app.route({
    method: operation.method,
    url: routePath(operation),
    ...(operation.bodyLimit === undefined ? {} : { bodyLimit: operation.bodyLimit }),
    config: { ...options.config, operation },
    onRequest: async (request) => {
      callers.set(request, { caller: await options.caller(request) });
    },
    handler: async (request, reply) => {
      const known = callers.get(request);
      if (known === undefined)
        throw new Error('the handler ran before the caller was authenticated');
      const input = read(request, known.caller) as Pick<Call<O, C>, 'params' | 'query' | 'body'>;
      const gone = () => goneSignal(reply);
      const answer = await options.handle({ ...input, caller: known.caller, request, gone });
      return send(reply, operation, answer as SendableAnswer);
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

interface SendableAnswer {
  status: number;
  body?: unknown;
  text?: string;
  bytes?: Buffer;
  stream?: Readable;
  headers?: Headers;
}

function send(reply: FastifyReply, operation: Operation, answer: SendableAnswer): FastifyReply {
  reply.code(answer.status);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  const mediaType = operation.answers[answer.status]?.mediaType ?? 'application/json';
  if (answer.stream !== undefined) {
    const isText = mediaType.startsWith('text/');
    reply.type(isText ? `${mediaType}; charset=utf-8` : mediaType);
    return reply.send(answer.stream);
  }
  const { body, bytes, text = bytes } = answer;
  if (body === undefined && text === undefined) return reply.send();
  if (!reply.hasHeader('content-type')) reply.type(`${mediaType}; charset=utf-8`);
  return reply.send(text ?? JSON.stringify(body));
}

export function notFound(code: string, message: string): ApiError {
  return new ApiError({ status: 404, code, message });
}
