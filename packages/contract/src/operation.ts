import type { TObject, TSchema } from 'typebox';

/** A kind of credential. The permissions of the caller are checked separately. */
export type Credential = 'session' | 'apiKey' | 'widgetSession' | 'none';

/** A response of an operation. */
export interface DeclaredResponse {
  readonly description: string;
  /** Schema of a JSON body. Omitted if the body is empty or of another media type. */
  readonly schema?: TSchema;
  readonly mediaType?: string;
  /** Further media types of the body. */
  readonly otherMediaTypes?: readonly string[];
  readonly example?: unknown;
  readonly headers?: Readonly<
    Record<string, { readonly description: string; readonly schema: TSchema }>
  >;
}

/** Maximum size in bytes of the body of most operations. */
export const DEFAULT_BODY_LIMIT = 1024 * 1024;

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

/** The definition of a public operation, from which routes, validators, clients and the OpenAPI document are derived. */
export interface Operation {
  readonly id: string;
  readonly feature: Feature;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with OpenAPI parameters, such as `/spaces/{spaceId}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Required permission, as a sentence that the reference appends to the description. */
  readonly permission?: string;
  readonly credentials: readonly Credential[];
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly bodyExample?: unknown;
  /** Set if a request without a body counts as the body `{}`. */
  readonly bodyOptional?: true;
  /** Alternatives to the JSON `body`, by media type. */
  readonly otherBodies?: Readonly<
    Record<string, { readonly schema: TSchema; readonly example: unknown }>
  >;
  /** Set if the operation creates one of our resources. It then accepts the header `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Maximum size of the body in bytes. Default `DEFAULT_BODY_LIMIT`. */
  readonly bodyLimit?: number;
  readonly paramsExample?: Readonly<Record<string, string | number>>;
  readonly responses: Readonly<Record<number, DeclaredResponse>>;
  /** Error statuses of this operation, in addition to the statuses that all routes share. */
  readonly errors: readonly number[];
  readonly errorExamples?: Readonly<Record<number, ErrorExample>>;
}

export interface ErrorExample {
  readonly message: string;
  readonly code: string;
  readonly issues?: readonly { readonly message: string }[];
  readonly loginUrl?: string;
  readonly challenge?: string;
}

/** Sentences for `permission`. */
export const PERMISSIONS = {
  administrator: 'Requires the session of an administrator.',
  audit:
    'Requires the session of an administrator or, with `spaceId`, of an owner of every bot of the space.',
  edit: 'Requires edit rights on the space.',
  editOr: (scope: string) =>
    `Requires edit rights on the space, or an API key with the scope \`${scope}\`.`,
  viewOrRead: 'Requires any role on a bot in the space, or an API key with the scope `read`.',
  view: 'Requires any role on a bot in the space, an API key with the scope `read`, or a widget session.',
  conversations:
    'Requires the right that `conversationAccess` of the space gives, or an API key with the scope `conversations:read`. With `nobody`, nobody may read conversations.',
  answerConversations:
    'Requires the right that `conversationAccess` of the space gives, or an API key with the scope `conversations:write`. With `nobody`, nobody may answer in conversations.',
  widgetSession: 'Requires a widget session.',
} as const;

/** Returns the definition unchanged and preserves its literal types. */
export function operation<const O extends Operation>(definition: O): O {
  return definition;
}

/** Returns a response with a JSON body. */
export function json<S extends TSchema>(description: string, schema: S, example: unknown) {
  return { description, schema, example };
}

/** Returns a response with a page of a list. The example is the last page. */
export function jsonPage<S extends TSchema>(
  description: string,
  schema: S,
  items: readonly unknown[],
) {
  return json(description, schema, { items, next: null });
}

export function errorOf(code: string, message: string): ErrorExample {
  return { message, code };
}
