import Type from 'typebox';
import {
  Body,
  EXAMPLE_SPACE_ID,
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  SpaceParams,
  Str,
  Text,
  Uuid,
} from '../common.ts';
import { errorOf, jsonPage, operation, PERMISSIONS } from '../operation.ts';
import { Role } from './members.ts';

/** A time of day, from 00:00 to 24:00. */
export const TIME_OF_DAY_PATTERN = '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$';
const TimeOfDay = (description: string) =>
  Type.String({ pattern: TIME_OF_DAY_PATTERN, description });

const OpeningHours = Body(
  {
    timeZone: Text({
      description: 'IANA time zone, such as `Europe/Berlin`.',
      minLength: 1,
      maxLength: 100,
    }),
    periods: Type.Array(
      Body({
        day: OneOf(
          ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
          'Day of the week on which the period begins and ends.',
        ),
        from: TimeOfDay('Start of the period, `HH:MM`.'),
        to: TimeOfDay(
          'End of the period, `HH:MM`, later than `from`. `24:00` is the end of the day.',
        ),
      }),
      { minItems: 1, maxItems: 50, description: 'Periods in which the team answers. At most 50.' },
    ),
  },
  { description: 'Opening hours of the team. `null` or omitted: the team always answers.' },
);

export const HandoffSettings = Body(
  {
    openingHours: Type.Optional(Nullable(OpeningHours)),
    awayMessage: Type.Optional(
      Nullable(
        Text({
          description:
            'Text for visitors who ask for a person outside of the opening hours. `null` or omitted: a text of the widget.',
          minLength: 1,
          maxLength: 1000,
        }),
      ),
    ),
  },
  {
    description:
      'Settings of the handoff to people. Visitors can then ask for a person. `null`: visitors cannot ask for a person.',
  },
);
export type HandoffSettings = Type.Static<typeof HandoffSettings>;

const CONTACT_DESCRIPTION =
  'Whom to contact, such as `Write to help@shop.example.` The assistant says it to visitors who ask for a person, unless a handoff is configured, and to visitors whose question has no answer. `null`: the assistant names nobody.';

export const Bot = Type.Object({
  id: Int('ID of the bot.'),
  spaceId: Uuid('ID of the space.'),
  name: Str('Name of the assistant.'),
  systemPrompt: Nullable(Str('Instructions for the model.')),
  greeting: Nullable(Str('First message of the assistant.')),
  suggestions: Type.Array(Type.String(), { description: 'Suggested first questions.' }),
  model: Nullable(
    Str(
      'Model that answers questions: a name from `GATEHOUSE_MODELS`, or a model of `GATEHOUSE_MODEL_URL`. `null`: the default model of the installation.',
    ),
  ),
  handoff: Nullable(HandoffSettings),
  contact: Nullable(Type.String({ description: CONTACT_DESCRIPTION })),
});
export type Bot = Type.Static<typeof Bot>;

const botProperties = {
  systemPrompt: Type.Optional(
    Nullable(Text({ description: 'Instructions for the model.', maxLength: 20_000 })),
  ),
  greeting: Type.Optional(
    Nullable(Text({ description: 'First message of the assistant.', maxLength: 2000 })),
  ),
  suggestions: Type.Optional(
    Type.Array(Text({ description: 'A suggested first question.', minLength: 1, maxLength: 200 }), {
      maxItems: 10,
      description: 'Suggested first questions. At most 10.',
    }),
  ),
  model: Type.Optional(
    Nullable(
      Text({
        description:
          'Model that answers questions: a name from `GATEHOUSE_MODELS`, or a model of `GATEHOUSE_MODEL_URL`. `null`: the default model of the installation.',
        minLength: 1,
        maxLength: 200,
      }),
    ),
  ),
  handoff: Type.Optional(Nullable(HandoffSettings)),
  contact: Type.Optional(
    Nullable(Text({ description: CONTACT_DESCRIPTION, minLength: 1, maxLength: 500 })),
  ),
};
const BotName = Text({ description: 'Name of the assistant.', minLength: 1, maxLength: 200 });
export const NewBot = Body({ name: BotName, ...botProperties });
export type NewBot = Type.Static<typeof NewBot>;
export const BotChange = Body({ name: Type.Optional(BotName), ...botProperties });
export type BotChange = Type.Static<typeof BotChange>;

/** A bot with the role of the caller. */
export const ListedBot = Type.Object({
  ...Bot.properties,
  role: Type.Union([...Role.anyOf, Type.Null()], {
    description:
      'Role of the calling user on the bot. `owner` for an administrator, `null` for an API key.',
  }),
});
export type ListedBot = Type.Static<typeof ListedBot>;

export const BotList = ListOf(ListedBot);

const exampleBot: Bot = {
  id: 1,
  spaceId: EXAMPLE_SPACE_ID,
  name: 'Shop assistant',
  systemPrompt: null,
  greeting: 'Hello! What can I find for you?',
  suggestions: ['Where is my order?'],
  model: null,
  handoff: {
    openingHours: {
      timeZone: 'Europe/Berlin',
      periods: [{ day: 'monday', from: '09:00', to: '17:00' }],
    },
    awayMessage: 'We are back on Monday at 9 o’clock.',
  },
  contact: 'Write to help@shop.example.',
};
const BotParams = Type.Object({
  botId: Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'ID of the bot.',
  }),
});

export const createBot = operation({
  id: 'createBot',
  feature: 'spaces',
  method: 'POST',
  path: '/spaces/{spaceId}/bots',
  idempotent: true,
  summary: 'Create a bot',
  description:
    'The owners of the space own the bot. The caller gets the highest role that the caller has on other bots of the space.',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: SpaceParams,
  body: NewBot,
  bodyExample: { name: 'Shop assistant', greeting: 'Hello! What can I find for you?' },
  responses: { 201: { description: 'The created bot.', schema: Bot, example: exampleBot } },
  errors: [400, 401, 403],
});

export const listBots = operation({
  id: 'listBots',
  feature: 'spaces',
  method: 'GET',
  path: '/spaces/{spaceId}/bots',
  summary: 'List bots and the roles of the caller on them',
  description:
    'A user sees the bots on which the user has a role. Administrators and API keys see all bots of the space.',
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  query: Type.Object(ListQuery),
  responses: {
    200: jsonPage('Bots, oldest first.', BotList, [{ ...exampleBot, role: 'owner' }]),
  },
  errors: [400, 401, 403],
});

export const showBot = operation({
  id: 'showBot',
  feature: 'spaces',
  method: 'GET',
  path: '/bots/{botId}',
  summary: 'Get a bot',
  permission: 'Requires any role on the bot, or an API key with the scope `read`.',
  credentials: ['session', 'apiKey'],
  params: BotParams,
  responses: { 200: { description: 'The bot.', schema: Bot, example: exampleBot } },
  errors: [400, 401, 403],
  errorExamples: {
    403: errorOf(
      'access.forbidden',
      'This operation requires the role `viewer`, `editor` or `owner` on the bot.',
    ),
  },
});

export const changeBot = operation({
  id: 'changeBot',
  feature: 'spaces',
  method: 'PATCH',
  path: '/bots/{botId}',
  summary: 'Update a bot',
  description: 'Omitted members keep their values.',
  permission: 'Requires the role `editor` or `owner` on the bot.',
  credentials: ['session'],
  params: BotParams,
  body: BotChange,
  bodyExample: { greeting: 'Hello! What can I find for you?' },
  responses: { 200: { description: 'The bot.', schema: Bot, example: exampleBot } },
  errors: [400, 401, 403],
});

export const deleteBot = operation({
  id: 'deleteBot',
  feature: 'spaces',
  method: 'DELETE',
  path: '/bots/{botId}',
  summary: 'Delete a bot',
  description:
    'The last bot of a space cannot be deleted. If the caller loses the right during the deletion, it stops (401 or 403), and some of the links are already deleted.',
  permission: 'Requires the role `owner` on the bot.',
  credentials: ['session'],
  params: BotParams,
  responses: { 204: { description: 'The bot was deleted.' } },
  errors: [400, 401, 403, 409],
  errorExamples: {
    409: errorOf(
      'spaces.last-bot',
      'This is the last bot of its space; create another bot first, or delete the space.',
    ),
  },
});
