import Type from 'typebox';
import {
  Bool,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  FreeObject,
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  Str,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { json, jsonPage, operation, PERMISSIONS } from '../operation.ts';
import {
  EXAMPLE_PAYLOAD,
  exampleLinkRequest,
  JwtPayload,
  LinkRequest,
  SpaceOfCaller,
} from './link-request.ts';

const LinkToken = Str('Secret token of the link: 43 characters in base64url.');

export const CreatedLink = Type.Object({
  token: LinkToken,
  url: Type.String({
    format: 'uri',
    description: 'URL that opens the assistant: `{base_url}/widget/{token}`.',
  }),
  jwtPayload: JwtPayload,
});

export const LinkState = OneOf(
  ['active', 'expired', 'revoked'],
  'State of the link. Only an `active` link can be exchanged.',
);
export type LinkState = Type.Static<typeof LinkState>;

export const Link = Type.Object({
  id: Uuid('ID of the link.'),
  spaceId: Uuid('ID of the space.'),
  tokenPrefix: Str('First 6 characters of the token, for identification.'),
  sub: Nullable(Str('The `sub` of the link.')),
  state: LinkState,
  exp: Type.Number({ description: 'Time of expiry in Unix seconds.' }),
  createdAt: Timestamp('Time of creation.'),
  revokedAt: Nullable(Timestamp('Time of revocation. `null`: not revoked.')),
  exchanges: Int('Number of exchanges of the token.'),
  lastExchangedAt: Nullable(Timestamp('Time of the last exchange. `null`: never exchanged.')),
  unrestricted: Bool(
    '`true`: neither the link nor the space has a permission filter, so the link shows every document of the space. A filter that matches everything, such as `{}`, counts as none.',
  ),
  warnings: Type.Array(Type.String(), {
    description:
      'Members of `widget` that look misspelt or have an invalid value, one text per member. The widget ignores them.',
  }),
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

export const RevokedLinks = Type.Object({
  revoked: Int('Number of links that were active and are now revoked.'),
});

export const EXAMPLE_TOKEN = 'Zk3v0q1bN8yT5rWc7hXe2uJm4sLp6oDa9gFiQxYzVtE';
export const exampleLink: Link = {
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
  unrestricted: false,
  warnings: [],
};
const LinkParams = Type.Object({ linkId: Uuid('ID of the link.') });

export const createLink = operation({
  id: 'createLink',
  feature: 'links',
  method: 'POST',
  path: '/assistant-link',
  idempotent: true,
  summary: 'Create an assistant access link',
  description:
    'Only this response contains the token. If the space has `requireLinkFilter`, the `permissionFilter` is required (400 `links.filter-required`). `botId` without `spaceId` is deprecated; the response then has a `Deprecation` header (RFC 9745).',
  permission: PERMISSIONS.editOr('links:write'),
  credentials: ['session', 'apiKey'],
  body: LinkRequest,
  bodyExample: exampleLinkRequest,
  responses: {
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
  responses: {
    200: jsonPage(
      'Links without their tokens, oldest first. With `state`: the links in this state, in the order of `exp`.',
      LinkList,
      [exampleLink],
    ),
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
  responses: {
    200: json('The link.', LinkWithPayload, {
      ...exampleLink,
      jwtPayload: EXAMPLE_PAYLOAD,
      userInformation: null,
    }),
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
  responses: { 204: { description: 'The link was revoked.' } },
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
  responses: { 200: json('The number of revoked links.', RevokedLinks, { revoked: 2 }) },
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
