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
import { operation, PERMISSIONS } from '../operation.ts';

export const TTL_SECONDS = { minimum: 60, maximum: 2_592_000, default: 3600 } as const;

const SafeInteger = (description: string) =>
  Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
  });

const SpaceOfCaller = Uuid(
  'ID of the space. Required with a session. With an API key, the default is the space of the key.',
);

export const Features = Type.Object(
  {
    chatHistory: Type.Optional(
      Type.Boolean({ description: '`false`: conversations are not stored. Default `true`.' }),
    ),
  },
  { additionalProperties: true, description: 'Feature flags. Unknown flags are stored unchanged.' },
);

/** Members of the payload that a browser does not need. The response to an exchange omits them. */
export const SERVER_ONLY_CLAIMS = [
  'permissionFilter',
  'filter',
  'context',
  'systemPromptInsertion',
] as const;

/** Members of a link request that are copied unchanged into the link's payload (section 2.2 of the interface). */
const claims = {
  sub: Type.Optional(
    Text({
      description:
        'Stable identifier of the user in your system. Stored conversations belong to this identifier.',
    }),
  ),
  email: Type.Optional(Text({ description: 'Email address of the user.' })),
  loginUrl: Type.Optional(
    Text({
      description:
        'URL where the user can get a new link: an absolute `http` or `https` URL, or a path that starts with a single `/`.',
      minLength: 1,
      maxLength: 2000,
    }),
  ),
  aud: Type.Optional(Text({ description: 'Intended recipient (the JWT claim `aud`).' })),
  iss: Type.Optional(Text({ description: 'Issuer (the JWT claim `iss`).' })),
  context: Type.Optional(
    FreeObject(
      'Facts about the page that embeds the assistant. The model receives them as data, not as instructions.',
    ),
  ),
  widget: Type.Optional(
    FreeObject(
      'Appearance of the widget: `title`, `greeting`, `placeholder`, `suggestions`, `theme`, `locale` and `position`. Overrides the settings of the bot.',
    ),
  ),
  filter: Type.Optional(
    FreeObject('Filter that narrows searches further. It cannot widen `permissionFilter`.'),
  ),
  features: Type.Optional(Features),
  systemPromptInsertion: Type.Optional(
    Text({ description: 'Text to append to the system prompt.' }),
  ),
  permissionFilter: Type.Optional(
    FreeObject(
      'Filter for the documents that the link may see, in the filter language. Unknown operators are rejected. A dotted name reaches into nested metadata and into every object of a list. On a list, an operator except `tp` holds if it holds for any element, and `ne` holds if no element is equal.',
      'PermissionFilter',
    ),
  ),
};

export const LinkRequest = Body(
  {
    ...claims,
    spaceId: Type.Optional(SpaceOfCaller),
    botId: Type.Optional(SafeInteger('Deprecated; use `spaceId`. ID of a bot in the space.')),
    exp: Type.Optional(
      Type.Number({
        description: 'Time of expiry in Unix seconds. Takes precedence over `ttlSeconds`.',
      }),
    ),
    ttlSeconds: Type.Optional(
      Type.Integer({
        minimum: TTL_SECONDS.minimum,
        maximum: TTL_SECONDS.maximum,
        description: 'Lifetime in seconds, used if `exp` is omitted. Default 3,600.',
      }),
    ),
    userInformation: Type.Optional(
      FreeObject(
        'Facts about the user. The model receives them as data, not as instructions. The payload does not contain them.',
      ),
    ),
  },
  { description: 'All members are optional.' },
);
export type LinkRequest = Type.Static<typeof LinkRequest>;

export const JwtPayload = Type.Object({
  v: Type.Number({ description: 'Version of the payload: `1`.' }),
  ...claims,
  spaceId: Uuid('ID of the space.'),
  botId: Type.Optional(
    Type.Number({ description: 'ID of the bot. Present if the request contained `botId`.' }),
  ),
  exp: Type.Number({ description: 'Time of expiry in Unix seconds.' }),
});
export type JwtPayload = Type.Static<typeof JwtPayload>;

const LinkToken = Type.String({
  description: 'Secret token of the link: 43 characters in base64url.',
});

export const CreatedLink = Type.Object({
  token: LinkToken,
  url: Type.String({
    format: 'uri',
    description: 'URL that opens the assistant: `{base_url}/widget/{token}`.',
  }),
  jwtPayload: JwtPayload,
});
export type CreatedLink = Type.Static<typeof CreatedLink>;

export const LinkState = Type.Union(
  [Type.Literal('active'), Type.Literal('expired'), Type.Literal('revoked')],
  { description: 'State of the link. Only an `active` link can be exchanged.' },
);
export type LinkState = Type.Static<typeof LinkState>;

export const Link = Type.Object({
  id: Uuid('ID of the link.'),
  spaceId: Uuid('ID of the space.'),
  tokenPrefix: Type.String({ description: 'First 6 characters of the token, for identification.' }),
  sub: Nullable(Type.String({ description: 'The `sub` of the link.' })),
  state: LinkState,
  exp: Type.Number({ description: 'Time of expiry in Unix seconds.' }),
  createdAt: Timestamp('Time of creation.'),
  revokedAt: Nullable(Timestamp('Time of revocation. `null`: not revoked.')),
  exchanges: Type.Integer({ description: 'Number of exchanges of the token.' }),
  lastExchangedAt: Nullable(Timestamp('Time of the last exchange. `null`: never exchanged.')),
});
export type Link = Type.Static<typeof Link>;

export const LinkList = ListOf(Link);

export const LinkWithPayload = Type.Object({
  ...Link.properties,
  jwtPayload: JwtPayload,
  userInformation: Nullable(
    FreeObject('The `userInformation` of the request that created the link.'),
  ),
});
export type LinkWithPayload = Type.Static<typeof LinkWithPayload>;

export const RevokedLinks = Type.Object({
  revoked: Type.Integer({ description: 'Number of links that were active and are now revoked.' }),
});

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
const LinkParams = Type.Object({ linkId: Uuid('ID of the link.') });

export const createLink = operation({
  id: 'createLink',
  feature: 'links',
  method: 'POST',
  path: '/assistant-link',
  summary: 'Create an assistant access link',
  description:
    'Only this response contains the token. `botId` without `spaceId` is deprecated; the response then has a `Deprecation` header (RFC 9745).',
  permission: PERMISSIONS.editOr('links:write'),
  credentials: ['session', 'apiKey'],
  body: LinkRequest,
  bodyExample: exampleRequest,
  answers: {
    200: {
      description: 'The created link.',
      schema: CreatedLink,
      example: {
        token: EXAMPLE_TOKEN,
        url: `https://gate.example/widget/${EXAMPLE_TOKEN}`,
        jwtPayload: EXAMPLE_PAYLOAD,
      },
      headers: {
        Location: {
          description: 'Path of the link: `/assistant-link/{id}`.',
          schema: Type.String(),
        },
        'Cache-Control': { description: 'Always `no-store`.', schema: Type.String() },
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
  summary: 'List the links of a space',
  permission: PERMISSIONS.editOr('read'),
  credentials: ['session', 'apiKey'],
  query: Type.Object({
    spaceId: Type.Optional(SpaceOfCaller),
    sub: Type.Optional(
      Text({ minLength: 1, description: 'Return only links with exactly this `sub`.' }),
    ),
    state: Type.Optional(LinkState),
    ...ListQuery,
  }),
  paramsExample: { state: 'active' },
  answers: {
    200: {
      description:
        'Links without their tokens, oldest first. With `state`: the links in this state, in the order of `exp`.',
      schema: LinkList,
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
  summary: 'Get a link with its payload',
  permission: PERMISSIONS.editOr('read'),
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
  summary: 'Revoke a link',
  description: 'Idempotent. The link and its widget sessions stop working immediately.',
  permission: PERMISSIONS.editOr('links:write'),
  credentials: ['session', 'apiKey'],
  params: LinkParams,
  answers: { 204: { description: 'The link was revoked.' } },
  errors: [400, 401, 403, 404, 503],
});

export const revokeLinks = operation({
  id: 'revokeLinks',
  feature: 'links',
  method: 'DELETE',
  path: '/assistant-link',
  summary: 'Revoke all active links of a person',
  description:
    'Atomically revokes all active links in the space that have this `sub`. Links of other people remain active. The links and their widget sessions stop working immediately. Idempotent: a second request revokes 0 links.',
  permission: PERMISSIONS.editOr('links:write'),
  credentials: ['session', 'apiKey'],
  query: Type.Object({
    spaceId: Type.Optional(SpaceOfCaller),
    sub: Text({
      minLength: 1,
      description: 'The `sub` of the person. Exact match.',
      ifMissing: 'send the `sub` of the person whose links are to be revoked',
    }),
  }),
  answers: {
    200: {
      description: 'The number of revoked links.',
      schema: RevokedLinks,
      example: { revoked: 2 },
    },
  },
  errors: [400, 401, 403, 503],
  errorExamples: {
    400: {
      message:
        'The request has a problem: sub: is required; send the `sub` of the person whose links are to be revoked.',
      code: 'links.invalid',
      issues: [
        {
          message: 'sub: is required; send the `sub` of the person whose links are to be revoked',
        },
      ],
    },
  },
});
