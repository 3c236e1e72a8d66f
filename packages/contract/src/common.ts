import Type, { type TLiteral, type TProperties, type TSchema, type TUnion } from 'typebox';

/** Matches a UUID of version 1 to 8, the nil UUID or the max UUID (RFC 9562). */
export const UUID_PATTERN =
  '^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12})$';

/** `UUID_PATTERN` as a regular expression. */
export const UUID = new RegExp(UUID_PATTERN);

/** Rejects U+0000 and lone surrogates. Must be matched with the `u` flag, as JSON Schema requires. */
export const STORABLE_PATTERN = '^[^\\u0000\\uD800-\\uDFFF]*$';

export const Uuid = (description: string) => Type.String({ pattern: UUID_PATTERN, description });

/** Creates the schema of a string that both databases can store. */
export const Text = (options: TextOptions) =>
  Type.String({ ...options, pattern: STORABLE_PATTERN });

interface TextOptions {
  description: string;
  minLength?: number;
  maxLength?: number;
  /** A hint about what to send, appended to the error for a missing member. Not part of the OpenAPI document. */
  ifMissing?: string;
}

export const Timestamp = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} RFC 3339, UTC.` });

/** Creates the schema of a time in a query. */
export const Moment = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} RFC 3339.` });

/** Creates the schema of a request body that rejects unknown members. */
export const Body = <P extends TProperties>(
  properties: P,
  options: { description?: string } = {},
) => Type.Object(properties, { ...options, additionalProperties: false });

/**
 * Creates the schema of an object with any members.
 *
 * @param documentedAs name of the schema in the OpenAPI document that describes the members. The server checks such an
 * object with a dedicated parser instead of a JSON Schema.
 */
export const FreeObject = (description: string, documentedAs?: DocumentedSchema) =>
  Type.Record(Type.String(), Type.Unknown(), {
    description,
    ...(documentedAs === undefined ? {} : { documentedAs }),
  });

/** Schemas that exist only in the OpenAPI document. */
export type DocumentedSchema = 'CloudEvent' | 'PermissionFilter';

export const SpaceParams = Type.Object({ spaceId: Uuid('ID of the space.') });

export const ListQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'Maximum number of items. Default 50.',
    }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Cursor from `next` of the previous page. Omitted: the first page.',
    }),
  ),
};

export const ListOf = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item, { description: 'Items of this page.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Cursor of the next page. `null` on the last page.',
    }),
  });

export const ErrorBody = Type.Object(
  {
    message: Type.String({
      description: 'Description of the problem and how to fix it, in English.',
    }),
    code: Type.String({ description: 'Stable error code: `<feature>.<reason>`.' }),
    issues: Type.Optional(
      Type.Array(Type.Object({ message: Type.String({ description: '`<path>: <problem>`' }) }), {
        description: 'Problems with the request, one per item. At most 100.',
      }),
    ),
  },
  { description: 'The body of every error response.' },
);

export const GoneBody = Type.Object(
  {
    ...ErrorBody.properties,
    loginUrl: Type.Optional(
      Type.String({
        description:
          'URL where the user can get a new link. Present if the link was created with `loginUrl`.',
      }),
    ),
  },
  { description: 'The body of a 410 response.' },
);

export const UnauthorizedBody = Type.Object(
  {
    ...ErrorBody.properties,
    challenge: Type.Optional(
      Type.String({
        description:
          'Present with the code `access.code-required`. Send it with a code to `POST /auth/sign-in/code` or `POST /console/session`. It is not a credential.',
      }),
    ),
  },
  { description: 'The body of a 401 response.' },
);

/** Creates the schema of a string that is one of the values. */
export const OneOf = <const Values extends readonly string[]>(
  values: Values,
  description?: string,
) => {
  const literals = values.map((value) => Type.Literal(value));
  const options = description === undefined ? {} : { description };
  return Type.Union(literals, options) as TUnion as TUnion<LiteralsOf<Values>>;
};

type LiteralsOf<Values extends readonly string[]> = {
  -readonly [Index in keyof Values]: TLiteral<Values[Index]>;
};

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Fields of a response without limits. */
export const Str = (description: string) => Type.String({ description });
export const Int = (description: string) => Type.Integer({ description });
export const Bool = (description: string) => Type.Boolean({ description });

export const NoContent = { description: 'Success.' } as const;

export const EXAMPLE_SPACE_ID = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
export const EXAMPLE_SUBSCRIPTION_ID = '0199f3a2-b1c4-7d20-9e5a-4f8c1d3b7a62';
export const EXAMPLE_DELIVERY_ID = 'msg_0199f3a2b1c47d209e5a4f8c1d3b7a62_1001';
export const EXAMPLE_DOCUMENT_ID = '0199f3a2-9a10-7c3e-8b21-5d9e7f60a1c4';
export const EXAMPLE_TIME = '2026-10-18T09:30:00.000Z';

export const EXAMPLE_EVENT = {
  specversion: '1.0',
  id: 'order-1001-paid',
  source: 'https://shop.example/orders',
  type: 'example.order.paid',
  time: '2026-10-18T09:30:00Z',
  data: { order: 1001, total: 49.9 },
};

/** Example of the 429 response to a search or read with a widget session. */
export const TOO_MANY_READS = {
  message:
    'The widget sessions of this link have sent too many searches and reads. Try again in 12 seconds.',
  code: 'links.too-many-reads',
};
