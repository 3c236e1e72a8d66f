import Type from 'typebox';
import {
  Body,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  Nullable,
  Text,
  Timestamp,
  Uuid,
} from './common.ts';
import { operation } from './operation.ts';

export const Origins = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 100,
  uniqueItems: true,
  description:
    'Web origins (`https://shop.example`) that may frame the widget and call the exchange.',
});

export const Space = Type.Object({
  id: Uuid('The space.'),
  name: Type.String(),
  allowedOrigins: Origins,
  createdAt: Timestamp('When the space was made.'),
});
export type Space = Type.Static<typeof Space>;

const SpaceName = Text({ description: 'Name to show.', minLength: 1, maxLength: 200 });
export const NewSpace = Body({ name: SpaceName, allowedOrigins: Type.Optional(Origins) });
export type NewSpace = Type.Static<typeof NewSpace>;
export const SpaceChange = Body({
  name: Type.Optional(SpaceName),
  allowedOrigins: Type.Optional(Origins),
});
export type SpaceChange = Type.Static<typeof SpaceChange>;

const exampleSpace = {
  id: EXAMPLE_SPACE_ID,
  name: 'Shop',
  allowedOrigins: ['https://shop.example'],
  createdAt: EXAMPLE_TIME,
};
const SpaceParams = Type.Object({ spaceId: Uuid('The space.') });

export const createSpace = operation({
  id: 'createSpace',
  feature: 'spaces',
  method: 'POST',
  path: '/spaces',
  summary: 'Make a space with its first bot',
  description: 'Whoever makes a space owns its first bot.',
  credentials: ['session'],
  body: NewSpace,
  bodyExample: { name: 'Shop', allowedOrigins: ['https://shop.example'] },
  answers: {
    201: {
      description: 'The space.',
      schema: Type.Object({ ...Space.properties, defaultBotId: Type.Integer() }),
      example: { ...exampleSpace, defaultBotId: 1 },
    },
  },
  errors: [400, 401, 403],
});

export const listSpaces = operation({
  id: 'listSpaces',
  feature: 'spaces',
  method: 'GET',
  path: '/spaces',
  summary: 'List the spaces that the caller may see',
  credentials: ['session', 'apiKey'],
  query: Type.Object(ListQuery),
  answers: {
    200: {
      description: 'Spaces, oldest first.',
      schema: ListOf(Space),
      example: { items: [exampleSpace], next: null },
    },
  },
  errors: [400, 401, 403],
});

export const showSpace = operation({
  id: 'showSpace',
  feature: 'spaces',
  method: 'GET',
  path: '/spaces/{spaceId}',
  summary: 'Show a space',
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  answers: { 200: { description: 'The space.', schema: Space, example: exampleSpace } },
  errors: [400, 401, 403],
});

export const changeSpace = operation({
  id: 'changeSpace',
  feature: 'spaces',
  method: 'PATCH',
  path: '/spaces/{spaceId}',
  summary: 'Change a space (edit rights)',
  credentials: ['session'],
  params: SpaceParams,
  body: SpaceChange,
  bodyExample: { allowedOrigins: ['https://shop.example', 'https://www.shop.example'] },
  answers: { 200: { description: 'The space.', schema: Space, example: exampleSpace } },
  errors: [400, 401, 403],
});

export const deleteSpace = operation({
  id: 'deleteSpace',
  feature: 'spaces',
  method: 'DELETE',
  path: '/spaces/{spaceId}',
  summary: 'Delete a space with all that is in it (owner of every bot in it)',
  credentials: ['session'],
  params: SpaceParams,
  answers: { 204: { description: 'The space is gone; its keys and links end at once.' } },
  errors: [400, 401, 403],
});

export const Bot = Type.Object({
  id: Type.Integer({ description: 'The bot.' }),
  spaceId: Uuid('The space it is in.'),
  name: Type.String({ description: 'The name of the assistant.' }),
  systemPrompt: Nullable(Type.String()),
  greeting: Nullable(Type.String()),
  suggestions: Type.Array(Type.String()),
  model: Nullable(Type.String({ description: 'The model to ask; null for the default one.' })),
});
export type Bot = Type.Static<typeof Bot>;

const botProperties = {
  systemPrompt: Type.Optional(
    Nullable(Text({ description: 'How the assistant behaves.', maxLength: 20_000 })),
  ),
  greeting: Type.Optional(Nullable(Text({ description: 'Its first words.', maxLength: 2000 }))),
  suggestions: Type.Optional(
    Type.Array(Text({ description: 'A question to begin with.', minLength: 1, maxLength: 200 }), {
      maxItems: 10,
    }),
  ),
  model: Type.Optional(
    Nullable(Text({ description: 'The model to ask.', minLength: 1, maxLength: 200 })),
  ),
};
const BotName = Text({ description: 'The name of the assistant.', minLength: 1, maxLength: 200 });
export const NewBot = Body({ name: BotName, ...botProperties });
export type NewBot = Type.Static<typeof NewBot>;
export const BotChange = Body({ name: Type.Optional(BotName), ...botProperties });
export type BotChange = Type.Static<typeof BotChange>;

const exampleBot: Bot = {
  id: 1,
  spaceId: EXAMPLE_SPACE_ID,
  name: 'Shop assistant',
  systemPrompt: null,
  greeting: 'Hello! What can I find for you?',
  suggestions: ['Where is my order?'],
  model: null,
};
const BotParams = Type.Object({
  botId: Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The bot.',
  }),
});

export const createBot = operation({
  id: 'createBot',
  feature: 'spaces',
  method: 'POST',
  path: '/spaces/{spaceId}/bots',
  summary: 'Make a bot in a space (edit rights)',
  description: 'Whoever makes a bot owns it.',
  credentials: ['session'],
  params: SpaceParams,
  body: NewBot,
  bodyExample: { name: 'Shop assistant', greeting: 'Hello! What can I find for you?' },
  answers: { 201: { description: 'The bot.', schema: Bot, example: exampleBot } },
  errors: [400, 401, 403],
});

export const listBots = operation({
  id: 'listBots',
  feature: 'spaces',
  method: 'GET',
  path: '/spaces/{spaceId}/bots',
  summary: 'List the bots of a space that the caller may see',
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  query: Type.Object(ListQuery),
  answers: {
    200: {
      description: 'Bots, oldest first.',
      schema: ListOf(Bot),
      example: { items: [exampleBot], next: null },
    },
  },
  errors: [400, 401, 403],
});

export const showBot = operation({
  id: 'showBot',
  feature: 'spaces',
  method: 'GET',
  path: '/bots/{botId}',
  summary: 'Show a bot',
  credentials: ['session', 'apiKey'],
  params: BotParams,
  answers: { 200: { description: 'The bot.', schema: Bot, example: exampleBot } },
  errors: [400, 401, 403],
});

export const changeBot = operation({
  id: 'changeBot',
  feature: 'spaces',
  method: 'PATCH',
  path: '/bots/{botId}',
  summary: 'Change a bot (edit rights on it)',
  credentials: ['session'],
  params: BotParams,
  body: BotChange,
  bodyExample: { greeting: 'Hello! What can I find for you?' },
  answers: { 200: { description: 'The bot.', schema: Bot, example: exampleBot } },
  errors: [400, 401, 403],
});

export const deleteBot = operation({
  id: 'deleteBot',
  feature: 'spaces',
  method: 'DELETE',
  path: '/bots/{botId}',
  summary: 'Delete a bot (its owner); the last one of a space stays',
  credentials: ['session'],
  params: BotParams,
  answers: { 204: { description: 'The bot is gone.' } },
  errors: [400, 401, 403, 409],
  errorExamples: {
    409: {
      message: 'This is the last bot of its space; make another one first, or delete the space.',
      code: 'spaces.last-bot',
    },
  },
});
