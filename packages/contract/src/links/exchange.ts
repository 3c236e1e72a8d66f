import Type from 'typebox';
import { Body, Bool, FreeObject, Int, Nullable, STORABLE_PATTERN, Str } from '../common.ts';
import { errorOf, json, operation } from '../operation.ts';
import { EXAMPLE_PAYLOAD, JwtPayload, SERVER_ONLY_CLAIMS } from './link-request.ts';
import { EXAMPLE_TOKEN } from './links.ts';

export const ExchangeRequest = Body({
  linkToken: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: STORABLE_PATTERN,
    description: 'Token of the link.',
  }),
});

/** The payload of a link without the members that only the server needs. */
export const ExchangePayload = Type.Object(Type.Omit(JwtPayload, SERVER_ONLY_CLAIMS).properties, {
  description:
    'The payload of the link without `permissionFilter`, `filter`, `context`, `systemPromptInsertion` and `budget`.',
});

export const WidgetSession = Type.Object({
  accessToken: Str('A JWT of the type `gatehouse-session+jwt`, signed with EdDSA.'),
  tokenType: Type.Literal('Bearer', { description: 'Scheme of the `Authorization` header.' }),
  expiresIn: Int(
    'Seconds until the access token expires: 900, or less if the link expires sooner.',
  ),
  jwtPayload: ExchangePayload,
  assistant: Type.Object(
    {
      name: Str('Name of the bot.'),
      title: Nullable(Str('Title of the widget.')),
      greeting: Nullable(Str('First message of the assistant.')),
      suggestions: Type.Array(Type.String(), { description: 'Suggested first questions.' }),
      theme: FreeObject('Appearance: `mode`, `accent`, `radius` and `font`.'),
      locale: Nullable(Str('Language of the widget (BCP 47).')),
    },
    { description: 'Presentation of the assistant.' },
  ),
  features: Type.Object(
    {
      chatHistory: Bool('`true`: conversations are stored.'),
      attachments: Bool('`true`: the chat accepts attachments.'),
      handoff: Bool(
        '`true`: the visitor can ask for a person. Always `false` without stored conversations.',
      ),
    },
    { description: 'Enabled features.' },
  ),
  conversationId: Nullable(
    Str('ID of the newest conversation. `null`: there is none, or conversations are not stored.'),
  ),
});
export type WidgetSession = Type.Static<typeof WidgetSession>;

const { permissionFilter: _, ...exampleExchangePayload } = EXAMPLE_PAYLOAD;

export const exchangeLink = operation({
  id: 'exchangeLink',
  feature: 'links',
  method: 'POST',
  path: '/assistant-link/exchange',
  summary: 'Exchange the token of a link for a widget session',
  description:
    'An unknown token results in 401 `links.unknown`, an expired link in 410 `links.expired`, and a revoked link in 410 `links.revoked`. A 410 response contains `loginUrl` if the link was created with one.',
  credentials: ['none'],
  body: ExchangeRequest,
  bodyExample: { linkToken: EXAMPLE_TOKEN },
  responses: {
    200: json(
      'A session of at most 15 minutes. Exchange the token again to renew it.',
      WidgetSession,
      {
        accessToken: 'eyJhbGciOiJFZERTQSIs…',
        tokenType: 'Bearer',
        expiresIn: 900,
        jwtPayload: exampleExchangePayload,
        assistant: {
          name: 'Shop assistant',
          title: null,
          greeting: 'Hello! What can I find for you?',
          suggestions: ['Where is my order?'],
          theme: {},
          locale: null,
        },
        features: { chatHistory: true, attachments: true, handoff: true },
        conversationId: null,
      },
    ),
  },
  errors: [400, 401, 410, 429],
  errorExamples: {
    401: errorOf('links.unknown', 'No link has this token; ask for a new link.'),
    410: {
      message: 'This link has expired; ask for a new one.',
      code: 'links.expired',
      loginUrl: 'https://shop.example/sign-in',
    },
  },
});

export const KeySet = Type.Object({
  keys: Type.Array(FreeObject('An Ed25519 public key as a JWK.'), {
    description: 'Public keys, newest first.',
  }),
});

export const showKeySet = operation({
  id: 'showKeySet',
  feature: 'links',
  method: 'GET',
  path: '/.well-known/jwks.json',
  summary: 'Get the public keys that verify widget sessions',
  credentials: ['none'],
  responses: {
    200: json('A JWK Set (RFC 7517).', KeySet, {
      keys: [
        { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKx…', kid: 'kPrK…', use: 'sig', alg: 'EdDSA' },
      ],
    }),
  },
  errors: [],
});
