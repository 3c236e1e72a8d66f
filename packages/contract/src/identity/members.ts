import Type from 'typebox';
import { Body, ListOf, ListQuery, Uuid } from '../common.ts';
import { operation } from '../operation.ts';

export const Role = Type.Union(
  [Type.Literal('viewer'), Type.Literal('editor'), Type.Literal('owner')],
  { description: 'viewer sees; editor also changes; owner also manages members.' },
);
export type Role = Type.Static<typeof Role>;

export const Member = Type.Object({
  userId: Uuid('The user.'),
  email: Type.String(),
  name: Type.String(),
  role: Role,
});
export type Member = Type.Static<typeof Member>;

const exampleMember: Member = {
  userId: '0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'editor',
};
const BotId = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The bot.',
});
const lastOwner = {
  message: 'This is the last owner of the bot; make somebody else its owner first.',
  code: 'spaces.last-owner',
};
const MemberParams = Type.Object({ botId: BotId, userId: Uuid('The user.') });

export const listMembers = operation({
  id: 'listMembers',
  feature: 'spaces',
  method: 'GET',
  path: '/bots/{botId}/members',
  summary: 'List the members of a bot (edit rights on it)',
  credentials: ['session'],
  params: Type.Object({ botId: BotId }),
  query: Type.Object(ListQuery),
  answers: {
    200: {
      description: 'Members.',
      schema: ListOf(Member),
      example: { items: [exampleMember], next: null },
    },
  },
  errors: [400, 401, 403],
});

export const showMember = operation({
  id: 'showMember',
  feature: 'spaces',
  method: 'GET',
  path: '/bots/{botId}/members/{userId}',
  summary: 'Show a member of a bot (edit rights on it)',
  credentials: ['session'],
  params: MemberParams,
  answers: { 200: { description: 'The member.', schema: Member, example: exampleMember } },
  errors: [400, 401, 403, 404],
  errorExamples: {
    404: { message: 'This user has no role on the bot.', code: 'spaces.member-not-found' },
  },
});

export const putMember = operation({
  id: 'putMember',
  feature: 'spaces',
  method: 'PUT',
  path: '/bots/{botId}/members/{userId}',
  summary: 'Give a user a role on a bot (its owner)',
  credentials: ['session'],
  params: MemberParams,
  body: Body({ role: Role }),
  bodyExample: { role: 'editor' },
  answers: { 200: { description: 'The member.', schema: Member, example: exampleMember } },
  errors: [400, 401, 403, 404, 409],
  errorExamples: {
    404: { message: 'There is no such user.', code: 'spaces.user-not-found' },
    409: lastOwner,
  },
});

export const deleteMember = operation({
  id: 'deleteMember',
  feature: 'spaces',
  method: 'DELETE',
  path: '/bots/{botId}/members/{userId}',
  summary: 'Take a role on a bot away (its owner); the last owner stays',
  credentials: ['session'],
  params: MemberParams,
  answers: { 204: { description: 'The user has no role on the bot.' } },
  errors: [400, 401, 403, 409],
  errorExamples: { 409: lastOwner },
});
