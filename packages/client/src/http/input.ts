import type { BodyOf, QueryOf, Route } from '../api.ts';
import type { Fetch } from '../options.ts';
import type { Segment } from './path.ts';

/** The parts of a request besides its route. */
export interface Input<R extends Route> {
  /** Values of the placeholders in the path, except a leading `{spaceId}`. */
  readonly params?: Params<R>;
  readonly query?: QueryOf<R> | undefined;
  readonly body?: BodyOf<R> | undefined;
  /** A body of another media type, instead of `body`. */
  readonly content?: Content | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Computes the headers of a signature from the text of the body before each attempt. They replace the credential. */
  readonly sign?: ((body: string) => Promise<Record<string, string>>) | undefined;
  /** `true`: a POST that is safe to repeat without an `Idempotency-Key`. */
  readonly safe?: boolean;
  /** Default timeout in milliseconds, instead of the timeout of the client. */
  readonly timeout?: number | undefined;
}

export interface Content {
  /** Creates the body and its headers for one attempt. */
  readonly init: () => {
    readonly headers: Record<string, string>;
    readonly body: NonNullable<RequestInit['body']>;
    readonly duplex?: 'half';
  };
  /** Replaces `fetch` for this request. */
  readonly fetch?: Fetch | undefined;
  /** `true`: the body can be created only once, so the request cannot be repeated. */
  readonly once: boolean;
}

/** One value per placeholder of a path. A leading `{spaceId}` that another segment follows has none. */
type Params<R extends string> = R extends `${string} /spaces/{spaceId}/${infer Rest}`
  ? Segments<Rest>
  : Segments<R>;
type Segments<P extends string> = P extends `${string}{${string}}${infer Rest}`
  ? readonly [Segment, ...Segments<Rest>]
  : readonly [];
