import Type, { type TProperties, type TSchema } from 'typebox';

/** RFC 9562 UUID of version 1 to 8, or the all-zero or the all-f UUID. */
export const UUID_PATTERN =
  '^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12})$';

/** Neither U+0000 nor a lone surrogate; matched with the `u` flag, as JSON Schema asks. */
export const STORABLE_PATTERN = '^[^\\u0000\\uD800-\\uDFFF]*$';

export const Uuid = (description: string) => Type.String({ pattern: UUID_PATTERN, description });

/** A string that is stored as a value of its own. */
export const Text = (options: { description: string; minLength?: number; maxLength?: number }) =>
  Type.String({ ...options, pattern: STORABLE_PATTERN });

export const Timestamp = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} RFC 3339, UTC.` });

/** A body: unknown members are refused. */
export const Body = <P extends TProperties>(
  properties: P,
  options: { description?: string } = {},
) => Type.Object(properties, { ...options, additionalProperties: false });

export const FreeObject = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), { description });

export const ListQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many items at most.' }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The cursor `next` of the page before.',
    }),
  ),
};

export const ListOf = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The cursor of the next page; null when there is none.',
    }),
  });

export const ErrorBody = Type.Object(
  {
    message: Type.String({ description: 'A sentence a person can act on.' }),
    code: Type.String({ description: '`<feature>.<reason>`, stable.' }),
    issues: Type.Optional(
      Type.Array(
        Type.Object({ message: Type.String({ description: '`<path>: <what is wrong>`' }) }),
      ),
    ),
  },
  { description: 'The body of every answer that is not 2xx.' },
);

/** The body of a 410: what ended may say where to get a new one. */
export const GoneBody = Type.Object(
  {
    ...ErrorBody.properties,
    loginUrl: Type.Optional(
      Type.String({ description: 'Where to sign in again, when the link had one.' }),
    ),
  },
  { description: 'The body of a 410 answer.' },
);

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const NoContent = { description: 'Done; no body.' } as const;

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
