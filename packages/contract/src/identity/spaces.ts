import Type from 'typebox';
import {
  Body,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { operation } from '../operation.ts';

export const Origins = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 100,
  uniqueItems: true,
  description:
    'Web origins (`https://shop.example`) that may frame the widget and call the exchange.',
});

const RETENTION = 'How long the space keeps its events. Null: as the installation says.';
const MaxAgeDays = Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], {
  description: 'Events that were received more days ago are removed.',
});
const MaxBytes = Type.Union(
  [Type.Integer({ minimum: 1_048_576, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()],
  {
    description:
      'What the texts of events take in the store, at most, in bytes; the oldest are removed. The store packs them, so they take less than they were sent with.',
  },
);
export const EventRetention = Type.Object(
  { maxAgeDays: MaxAgeDays, maxBytes: MaxBytes },
  { description: RETENTION },
);
export type EventRetention = Type.Static<typeof EventRetention>;
const NewEventRetention = Body(
  { maxAgeDays: Type.Optional(MaxAgeDays), maxBytes: Type.Optional(MaxBytes) },
  { description: `${RETENTION} A member that is left out is null.` },
);

export const Space = Type.Object({
  id: Uuid('The space.'),
  name: Type.String(),
  allowedOrigins: Origins,
  eventRetention: EventRetention,
  createdAt: Timestamp('When the space was made.'),
});
export type Space = Type.Static<typeof Space>;

const SpaceName = Text({ description: 'Name to show.', minLength: 1, maxLength: 200 });
export const NewSpace = Body({
  name: SpaceName,
  allowedOrigins: Type.Optional(Origins),
  eventRetention: Type.Optional(NewEventRetention),
});
export type NewSpace = Type.Static<typeof NewSpace>;
export const SpaceChange = Body({
  name: Type.Optional(SpaceName),
  allowedOrigins: Type.Optional(Origins),
  eventRetention: Type.Optional(NewEventRetention),
});
export type SpaceChange = Type.Static<typeof SpaceChange>;

const exampleSpace = {
  id: EXAMPLE_SPACE_ID,
  name: 'Shop',
  allowedOrigins: ['https://shop.example'],
  eventRetention: { maxAgeDays: 90, maxBytes: null },
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
