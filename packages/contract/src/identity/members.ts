import Type from 'typebox';
import { Body, ListOf, OneOf, Str, Uuid } from '../common.ts';
import { errorOf, jsonPage, operation } from '../operation.ts';
import { PeopleQuery } from './people.ts';

export const Role = OneOf(
  ['viewer', 'editor', 'owner'],
  '`viewer` may read the bot and its space. `editor` may also change them. `owner` may also delete the bot and manage its members.',
);
export type Role = Type.Static<typeof Role>;

export const Member = Type.Object({
  userId: Uuid('ID of the user.'),
  email: Str('Email address of the user.'),
  name: Str('Display name of the user.'),
  role: Role,
});
export type Member = Type.Static<typeof Member>;

export const MemberList = ListOf(Member);
export const MemberRole = Body({ role: Role });

const exampleMember: Member = {
  userId: '0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'editor',
};
export const BotId = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'ID of the bot.',
});
const BOT_EDITOR = 'Requires the role `editor` or `owner` on the bot.';
export const BOT_OWNER = 'Requires the role `owner` on the bot.';
const lastOwner = errorOf(
  'spaces.last-owner',
  'This user is the last owner of the bot; assign the role `owner` to another user first.',
);
const MemberParams = Type.Object({ botId: BotId, userId: Uuid('ID of the user.') });

export const listMembers = operation({
  id: 'listMembers',
  feature: 'spaces',
  method: 'GET',
  path: '/bots/{botId}/members',
  summary: 'List the members of a bot',
  permission: BOT_EDITOR,
  credentials: ['session'],
  params: Type.Object({ botId: BotId }),
  query: PeopleQuery,
  responses: {
    200: jsonPage('Users with a role on the bot.', MemberList, [exampleMember]),
  },
  errors: [400, 401, 403],
});

export const showMember = operation({
  id: 'showMember',
  feature: 'spaces',
  method: 'GET',
  path: '/bots/{botId}/members/{userId}',
  summary: 'Get a member of a bot',
  permission: BOT_EDITOR,
  credentials: ['session'],
  params: MemberParams,
  responses: { 200: { description: 'The member.', schema: Member, example: exampleMember } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: errorOf('spaces.member-not-found', 'This user has no role on the bot.') },
});

export const putMember = operation({
  id: 'putMember',
  feature: 'spaces',
  method: 'PUT',
  path: '/bots/{botId}/members/{userId}',
  summary: 'Set the role of a user on a bot',
  permission: BOT_OWNER,
  credentials: ['session'],
  params: MemberParams,
  body: MemberRole,
  bodyExample: { role: 'editor' },
  responses: { 200: { description: 'The member.', schema: Member, example: exampleMember } },
  errors: [400, 401, 403, 404, 409],
  errorExamples: {
    404: errorOf('spaces.user-not-found', 'No user has this ID.'),
    409: lastOwner,
  },
});

export const deleteMember = operation({
  id: 'deleteMember',
  feature: 'spaces',
  method: 'DELETE',
  path: '/bots/{botId}/members/{userId}',
  summary: 'Remove a member from a bot',
  description:
    'The last owner of a bot cannot be removed. The request also succeeds if the user has no role on the bot.',
  permission: BOT_OWNER,
  credentials: ['session'],
  params: MemberParams,
  responses: { 204: { description: 'The user has no role on the bot.' } },
  errors: [400, 401, 403, 409],
  errorExamples: { 409: lastOwner },
});
