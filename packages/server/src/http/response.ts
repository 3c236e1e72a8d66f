import type { Readable } from 'node:stream';
import type { Operation } from '@gatehouse/contract';
import type { Static, TSchema } from 'typebox';
import type { JoinedWrites } from '../storage/ports/index.ts';
import type { RecordedRequest, ResponseOwner } from './idempotency/keyed-request.ts';

export type Headers = Readonly<Record<string, string>>;

/** Headers of a stream. They tell proxies such as nginx not to buffer the response. */
export const UNBUFFERED: Headers = { 'x-accel-buffering': 'no' };

/** The result of a handler: one of the operation's statuses and the matching body. */
export type ResponseOf<O extends Operation> = {
  [S in keyof O['responses'] & number]: O['responses'][S] extends {
    schema: infer T extends TSchema;
  }
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
}[keyof O['responses'] & number];

/** Stores the response of an idempotent operation. Has no effect if the request has no `Idempotency-Key`. */
export interface Once<O extends Operation> {
  /**
   * Returns the values with which the created link is the record of the request, or null if the response must be stored. The link
   * replaces the stored response, so do not call `store` as well.
   */
  record(): RecordedRequest | null;
  /**
   * Returns the writes that store the response to a result. The repository commits them together with the created resource. Without
   * this call, the response is stored after the operation.
   *
   * @example
   * const created = (bot: Bot) => ({ status: 201, body: bot }) as const;
   * const stored = once.store((bot: Bot) => ({ spaceId, response: created(bot) }));
   * return created(await bots.create(space, body, stored));
   */
  store<Result>(
    respond: (result: Result) => ResponseOwner & { readonly response: ResponseOf<O> },
  ): JoinedWrites<Result>;
  /** Identifies a body that the handler reads itself. Call it before `store`. */
  bodyIs(digest: () => string): void;
}

export interface SendableResponse {
  status: number;
  body?: unknown;
  text?: string;
  bytes?: Buffer;
  stream?: Readable;
  headers?: Headers;
}
