import type { Readable } from 'node:stream';
import { ApiError, type Operation } from '@gatehouse/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { type BodyRules, readInput } from './bodies/input.ts';
import { clientGone } from './errors.ts';

type Input<S> = S extends TSchema ? Static<S> : undefined;

/** What a handler gets: everything in it is checked. */
export interface Call<O extends Operation, C> {
  readonly caller: C;
  readonly params: Input<O['params']>;
  readonly query: Input<O['query']>;
  readonly body: Input<O['body']>;
  readonly request: FastifyRequest;
  /** For work that takes long: a signal that aborts, with an error to throw, when the client hangs up before its answer. */
  readonly gone: () => AbortSignal;
}

type Headers = Readonly<Record<string, string>>;

/** What a handler gives: a status the operation names, with that status's body. */
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
  /** Says who calls, from the headers alone and before the body is read; throws 401 or 403. */
  readonly caller: (request: FastifyRequest) => C | Promise<C>;
  /** Leaves the body to the handler, as bytes in `request.body`, for a door with rules of its own. */
  readonly rawBody?: true;
  /** What the body must hold to beyond its schema; its issues are reported with the schema's. */
  readonly rules?: BodyRules<C>;
  /** Fastify's options for this route, such as its rate limit. */
  readonly config?: Record<string, unknown>;
  readonly handle: (call: Call<O, C>) => Given<O> | Promise<Given<O>>;
}

/** Names the statuses, or else TypeScript takes a handler's `status: 200` for any number while it has yet to infer `O`. */
type Given<O extends Operation> = AnswerOf<O> & { readonly status: 200 | 201 | 204 };

/** For operations that need no credential. */
export const anyone = (): null => null;

/**
 * Serves one operation of the contract: caller, then input, then the handler. Every problem of
 * params, query and body is reported together as 400 `<feature>.invalid`.
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
      if (known === undefined) throw new Error('the caller is resolved before the handler runs');
      const input = read(request, known.caller) as Pick<Call<O, C>, 'params' | 'query' | 'body'>;
      const gone = () => goneSignal(reply);
      const answer = await options.handle({ ...input, caller: known.caller, request, gone });
      return send(reply, operation, answer as SendableAnswer);
    },
  });
}

/** An operation's path in Fastify's form. */
export function routePath({ path }: Pick<Operation, 'path'>): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const hear = () => {
    if (!raw.writableFinished) gone.abort(clientGone());
  };
  if (raw.destroyed) hear();
  else raw.once('close', hear);
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

/** 404 for a resource of our own that the caller may look for. */
export function notFound(code: string, message: string): ApiError {
  return new ApiError({ status: 404, code, message });
}
