import Type from 'typebox';
import { Body, FreeObject, Nullable, STORABLE_PATTERN } from '../common.ts';
import { operation } from '../operation.ts';
import { EXAMPLE_PAYLOAD, EXAMPLE_TOKEN, JwtPayload } from './links.ts';

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
  bodyExample: { linkToken: EXAMPLE_TOKEN },
  answers: {
    200: {
      description: 'A session of at most 15 minutes; exchange again to renew it.',
      schema: WidgetSession,
      example: {
        accessToken: 'eyJhbGciOiJFZERTQSIs…',
        tokenType: 'Bearer',
        expiresIn: 900,
        jwtPayload: EXAMPLE_PAYLOAD,
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
