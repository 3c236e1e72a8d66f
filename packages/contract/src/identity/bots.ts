import Type from 'typebox';
import { Body, EXAMPLE_SPACE_ID, ListOf, ListQuery, Nullable, Text, Uuid } from '../common.ts';
import { operation } from '../operation.ts';

const SpaceParams = Type.Object({ spaceId: Uuid('The space.') });

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
