import Type from 'typebox';
import {
  Body,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  FreeObject,
  ListOf,
  ListQuery,
  Nullable,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { operation } from '../operation.ts';

export const TTL_SECONDS = { minimum: 60, maximum: 2_592_000, default: 3600 } as const;

const SafeInteger = (description: string) =>
  Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
  });

const Features = Type.Object(
  {
    chatHistory: Type.Optional(
      Type.Boolean({ description: 'false keeps no history; true by default.' }),
    ),
  },
  { additionalProperties: true, description: 'Feature flags; unknown ones are kept as sent.' },
);

/** The members of section 2.2 that the caller may give; the payload repeats them as sent. */
const claims = {
  sub: Type.Optional(
    Text({ description: "Stable identifier of the user in the caller's system." }),
  ),
  email: Type.Optional(Text({ description: 'E-mail of the user.' })),
  loginUrl: Type.Optional(
    Text({
      description:
        'Where to sign in again: an absolute http(s) URL, or a path with one leading `/`.',
      minLength: 1,
      maxLength: 2000,
    }),
  ),
  aud: Type.Optional(Text({ description: 'Intended recipient (claim `aud`).' })),
  iss: Type.Optional(Text({ description: 'Issuer (claim `iss`).' })),
  context: Type.Optional(FreeObject('Facts about where the assistant is embedded.')),
  widget: Type.Optional(
    FreeObject(
      'How the widget looks: `title`, `greeting`, `placeholder`, `suggestions`, `theme`, `locale`, `position`.',
    ),
  ),
  filter: Type.Optional(FreeObject('Narrows what is searched, inside `permissionFilter`.')),
  features: Type.Optional(Features),
  systemPromptInsertion: Type.Optional(
    Text({ description: 'Extra text appended to the system prompt.' }),
  ),
  permissionFilter: Type.Optional(
    FreeObject(
      'What this link may see, in the filter language. Anything unknown in it is refused.',
    ),
  ),
};

export const LinkRequest = Body(
  {
    ...claims,
    spaceId: Type.Optional(Uuid('Target space.')),
    botId: Type.Optional(
      SafeInteger('Deprecated, use `spaceId`: the space is derived from the bot.'),
    ),
    exp: Type.Optional(
      Type.Number({ description: 'Expiry, Unix seconds; wins over `ttlSeconds`.' }),
    ),
    ttlSeconds: Type.Optional(
      Type.Integer({
        minimum: TTL_SECONDS.minimum,
        maximum: TTL_SECONDS.maximum,
        description: 'Validity in seconds when `exp` is absent; 3600 by default.',
      }),
    ),
    userInformation: Type.Optional(FreeObject('Facts about the user, for the chat only.')),
  },
  { description: 'Every member is optional.' },
);
export type LinkRequest = Type.Static<typeof LinkRequest>;

export const JwtPayload = Type.Object({
  v: Type.Number({ description: 'Version of the payload: 1.' }),
  ...claims,
  spaceId: Uuid('The space.'),
  botId: Type.Optional(Type.Number()),
  exp: Type.Number({ description: 'Expiry, Unix seconds.' }),
});
export type JwtPayload = Type.Static<typeof JwtPayload>;

const LinkToken = Type.String({ description: 'Opaque token: 43 characters of base64url.' });

export const CreatedLink = Type.Object({
  token: LinkToken,
  url: Type.String({ format: 'uri', description: '`{base_url}/widget/{token}`' }),
  jwtPayload: JwtPayload,
});
export type CreatedLink = Type.Static<typeof CreatedLink>;

export const LinkState = Type.Union([
  Type.Literal('active'),
  Type.Literal('expired'),
  Type.Literal('revoked'),
]);
export type LinkState = Type.Static<typeof LinkState>;

export const Link = Type.Object({
  id: Uuid('The link.'),
  spaceId: Uuid('The space.'),
  tokenPrefix: Type.String({ description: 'The first 6 characters of the token.' }),
  sub: Nullable(Type.String()),
  state: LinkState,
  exp: Type.Number({ description: 'Expiry, Unix seconds.' }),
  createdAt: Timestamp('When the link was made.'),
  revokedAt: Nullable(Timestamp('When it was revoked.')),
  exchanges: Type.Integer({ description: 'How often its token was exchanged.' }),
  lastExchangedAt: Nullable(Timestamp('When its token was last exchanged.')),
});
export type Link = Type.Static<typeof Link>;

export const LinkWithPayload = Type.Object({
  ...Link.properties,
  jwtPayload: JwtPayload,
  userInformation: Nullable(FreeObject('As given at creation.')),
});
export type LinkWithPayload = Type.Static<typeof LinkWithPayload>;

const exampleRequest = {
  spaceId: EXAMPLE_SPACE_ID,
  sub: 'customer-42',
  ttlSeconds: 3600,
  permissionFilter: { department: { in: ['sales', 'support'] } },
};
export const EXAMPLE_PAYLOAD = {
  v: 1,
  sub: 'customer-42',
  permissionFilter: { department: { in: ['sales', 'support'] } },
  spaceId: EXAMPLE_SPACE_ID,
  exp: 1_792_318_200,
};
export const EXAMPLE_TOKEN = 'Zk3v0q1bN8yT5rWc7hXe2uJm4sLp6oDa9gFiQxYzVtE';
const exampleLink: Link = {
  id: '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2',
  spaceId: EXAMPLE_SPACE_ID,
  tokenPrefix: 'Zk3v0q',
  sub: 'customer-42',
  state: 'active',
  exp: 1_792_318_200,
  createdAt: EXAMPLE_TIME,
  revokedAt: null,
  exchanges: 0,
  lastExchangedAt: null,
};
const LinkParams = Type.Object({ linkId: Uuid('The link.') });

export const createLink = operation({
  id: 'createLink',
  feature: 'links',
  method: 'POST',
  path: '/assistant-link',
  summary: 'Create an assistant access link (edit rights, or a key with `links:write`)',
  description:
    'The token is shown this one time. `botId` alone is deprecated, and the answer then says so in its `Deprecation` header (RFC 9745).',
  credentials: ['session', 'apiKey'],
  body: LinkRequest,
  bodyExample: exampleRequest,
  answers: {
    200: {
      description: 'The link.',
      schema: CreatedLink,
      example: {
        token: EXAMPLE_TOKEN,
        url: `https://gate.example/widget/${EXAMPLE_TOKEN}`,
        jwtPayload: EXAMPLE_PAYLOAD,
      },
      headers: {
        Location: { description: '`/assistant-link/{id}`', schema: Type.String() },
        'Cache-Control': { description: '`no-store`', schema: Type.String() },
      },
    },
  },
  errors: [400, 401, 403, 503],
});

export const listLinks = operation({
  id: 'listLinks',
  feature: 'links',
  method: 'GET',
  path: '/assistant-link',
  summary: 'List the links of a space (edit rights, or a key with `read`)',
  credentials: ['session', 'apiKey'],
  query: Type.Object({
    spaceId: Type.Optional(Uuid('The space; with an API key its own when absent.')),
    ...ListQuery,
  }),
  answers: {
    200: {
      description: 'Links, oldest first. No tokens.',
      schema: ListOf(Link),
      example: { items: [exampleLink], next: null },
    },
  },
  errors: [400, 401, 403],
});

export const showLink = operation({
  id: 'showLink',
  feature: 'links',
  method: 'GET',
  path: '/assistant-link/{linkId}',
  summary: 'Show a link with its payload (edit rights, or a key with `read`)',
  credentials: ['session', 'apiKey'],
  params: LinkParams,
  answers: {
    200: {
      description: 'The link.',
      schema: LinkWithPayload,
      example: { ...exampleLink, jwtPayload: EXAMPLE_PAYLOAD, userInformation: null },
    },
  },
  errors: [400, 401, 403, 404],
});

export const revokeLink = operation({
  id: 'revokeLink',
  feature: 'links',
  method: 'DELETE',
  path: '/assistant-link/{linkId}',
  summary: 'Revoke a link (edit rights, or a key with `links:write`)',
  description:
    'Idempotent. Every session that came from the link is refused from the next request on.',
  credentials: ['session', 'apiKey'],
  params: LinkParams,
  answers: { 204: { description: 'The link is revoked.' } },
  errors: [400, 401, 403, 404, 503],
});
