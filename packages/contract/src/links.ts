import Type from 'typebox';
import {
  Body,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  FreeObject,
  ListOf,
  ListQuery,
  Nullable,
  STORABLE_PATTERN,
  Text,
  Timestamp,
  Uuid,
} from './common.ts';
import { operation } from './operation.ts';

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
const examplePayload = {
  v: 1,
  sub: 'customer-42',
  permissionFilter: { department: { in: ['sales', 'support'] } },
  spaceId: EXAMPLE_SPACE_ID,
  exp: 1_792_318_200,
};
const exampleToken = 'Zk3v0q1bN8yT5rWc7hXe2uJm4sLp6oDa9gFiQxYzVtE';
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
        token: exampleToken,
        url: `https://gate.example/widget/${exampleToken}`,
        jwtPayload: examplePayload,
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
      example: { ...exampleLink, jwtPayload: examplePayload, userInformation: null },
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

export const ExchangeRequest = Body({
  linkToken: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: STORABLE_PATTERN,
    description: 'The token of the link.',
  }),
});

export const WidgetSession = Type.Object({
  accessToken: Type.String({ description: 'A JWT, `typ: gatehouse-session+jwt`, signed EdDSA.' }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'Seconds, 900 at most and never past the link.' }),
  jwtPayload: JwtPayload,
  assistant: Type.Object({
    name: Type.String(),
    title: Nullable(Type.String()),
    greeting: Nullable(Type.String()),
    suggestions: Type.Array(Type.String()),
    theme: FreeObject('`mode`, `accent`, `radius`, `font`.'),
    locale: Nullable(Type.String()),
  }),
  features: Type.Object({ chatHistory: Type.Boolean() }),
  conversationId: Nullable(Type.String()),
});
export type WidgetSession = Type.Static<typeof WidgetSession>;

export const exchangeLink = operation({
  id: 'exchangeLink',
  feature: 'links',
  method: 'POST',
  path: '/assistant-link/exchange',
  summary: "Exchange a link's token for a widget session",
  description:
    'Unknown token 401 `links.unknown`; expired 410 `links.expired`; revoked 410 `links.revoked`, the two 410s with `loginUrl` when the link had one.',
  credentials: ['none'],
  body: ExchangeRequest,
  bodyExample: { linkToken: exampleToken },
  answers: {
    200: {
      description: 'A session of at most 15 minutes; exchange again to renew it.',
      schema: WidgetSession,
      example: {
        accessToken: 'eyJhbGciOiJFZERTQSIs…',
        tokenType: 'Bearer',
        expiresIn: 900,
        jwtPayload: examplePayload,
        assistant: {
          name: 'Shop assistant',
          title: null,
          greeting: 'Hello! What can I find for you?',
          suggestions: ['Where is my order?'],
          theme: {},
          locale: null,
        },
        features: { chatHistory: true },
        conversationId: null,
      },
    },
  },
  errors: [400, 401, 410, 429],
  errorExamples: {
    401: { message: 'No link has this token; ask for a new link.', code: 'links.unknown' },
    410: {
      message: 'This link has expired; ask for a new one.',
      code: 'links.expired',
      loginUrl: 'https://shop.example/sign-in',
    },
  },
});

export const showKeySet = operation({
  id: 'showKeySet',
  feature: 'links',
  method: 'GET',
  path: '/.well-known/jwks.json',
  summary: 'The public keys that verify widget sessions (RFC 7517)',
  credentials: ['none'],
  answers: {
    200: {
      description: 'A JWK set.',
      schema: Type.Object({ keys: Type.Array(FreeObject('A JWK.')) }),
      example: {
        keys: [
          { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKx…', kid: 'kPrK…', use: 'sig', alg: 'EdDSA' },
        ],
      },
    },
  },
  errors: [],
});
