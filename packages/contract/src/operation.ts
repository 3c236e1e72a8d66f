import type { TObject, TSchema } from 'typebox';

/** Who may call an operation at all; what they may do is decided by their rights. */
export type Credential = 'session' | 'apiKey' | 'widgetSession' | 'none';

export interface Answer {
  readonly description: string;
  /** Absent for an answer without a JSON body. */
  readonly schema?: TSchema;
  /** Media type of the body when it is not JSON. */
  readonly mediaType?: string;
  readonly example?: unknown;
  readonly headers?: Readonly<
    Record<string, { readonly description: string; readonly schema: TSchema }>
  >;
}

export type Feature =
  | 'access'
  | 'spaces'
  | 'links'
  | 'knowledge'
  | 'chat'
  | 'events'
  | 'sources'
  | 'deliveries'
  | 'widget'
  | 'http';

/**
 * One public operation: everything that the route, its validation, the OpenAPI document and a
 * client need to know. `path` is in OpenAPI's form (`/spaces/{spaceId}`).
 */
export interface Operation {
  readonly id: string;
  readonly feature: Feature;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly credentials: readonly Credential[];
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly bodyExample?: unknown;
  /** By media type: what the body may be instead of JSON by `body`. */
  readonly otherBodies?: Readonly<
    Record<string, { readonly schema: TSchema; readonly example: unknown }>
  >;
  /** The largest body in bytes; 1 MiB when absent. */
  readonly bodyLimit?: number;
  readonly paramsExample?: Readonly<Record<string, string | number>>;
  readonly answers: Readonly<Record<number, Answer>>;
  /** The error statuses that the operation can answer, besides those of every route. */
  readonly errors: readonly number[];
  /** By status: bodies of errors that only this operation has, where the usual one would mislead. */
  readonly errorExamples?: Readonly<Record<number, ErrorExample>>;
}

export interface ErrorExample {
  readonly message: string;
  readonly code: string;
  readonly issues?: readonly { readonly message: string }[];
  readonly loginUrl?: string;
}

/** Keeps an operation's literal types, so that a route can be typed by its schemas. */
export function operation<const O extends Operation>(definition: O): O {
  return definition;
}
