import Type from 'typebox';
import {
  Body,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  NoContent,
  Str,
  Timestamp,
  Uuid,
} from '../common.ts';
import { errorOf, json, jsonPage, operation } from '../operation.ts';
import { BOT_OWNER, BotId, Role } from './members.ts';
import { EmailAddress } from './people.ts';

export const NewInvitation = Body({ email: EmailAddress, role: Role });
export type NewInvitation = Type.Static<typeof NewInvitation>;

export const Invitation = Type.Object({
  id: Uuid('ID of the invitation.'),
  email: Str('Invited email address, in lower case.'),
  role: Role,
  createdAt: Timestamp('Time of creation.'),
  expiresAt: Timestamp('Time of expiry, seven days after the creation.'),
});
export type Invitation = Type.Static<typeof Invitation>;

export const InvitationList = ListOf(Invitation);

const { id, email, role, expiresAt } = Invitation.properties;
export const CreatedInvitation = Type.Object({
  id,
  email,
  role,
  url: Str('URL with the token in its fragment. It is shown only in this response.'),
  expiresAt,
});

const EXAMPLE_ID = '0199f3a2-7d20-7a31-8c44-6b1f0e9d2c58';
const InvitationParams = Type.Object({
  botId: BotId,
  invitationId: Uuid('ID of the invitation.'),
});

export const createInvitation = operation({
  id: 'createInvitation',
  feature: 'spaces',
  method: 'POST',
  path: '/bots/{botId}/members',
  summary: 'Invite a person to a bot by email address',
  description:
    'The service sends no email: send the URL to the person, who redeems its token with `POST /auth/redeem`. The response does not reveal whether the address has an account. The invitation replaces an earlier one for the same bot and address. It is void if the inviting user is no longer an owner of the bot. It never lowers a role that the person already has.',
  permission: BOT_OWNER,
  credentials: ['session'],
  idempotent: true,
  params: Type.Object({ botId: BotId }),
  body: NewInvitation,
  bodyExample: { email: 'bo@example.com', role: 'editor' },
  responses: {
    201: json('The invitation.', CreatedInvitation, {
      id: EXAMPLE_ID,
      email: 'bo@example.com',
      role: 'editor',
      url: 'https://gatehouse.example.com/console#invitation=b4CwXw0dJQpN2sVtK7yHrE9uLmZf3aGiT6oRj1vSx8U',
      expiresAt: EXAMPLE_TIME,
    }),
  },
  errors: [400, 401, 403],
});

export const listInvitations = operation({
  id: 'listInvitations',
  feature: 'spaces',
  method: 'GET',
  path: '/bots/{botId}/invitations',
  summary: 'List the pending invitations to a bot',
  permission: BOT_OWNER,
  credentials: ['session'],
  params: Type.Object({ botId: BotId }),
  query: Type.Object(ListQuery),
  responses: {
    200: jsonPage(
      'Invitations that were not redeemed, replaced or withdrawn and have not expired, oldest first.',
      InvitationList,
      [
        {
          id: EXAMPLE_ID,
          email: 'bo@example.com',
          role: 'editor',
          createdAt: EXAMPLE_TIME,
          expiresAt: EXAMPLE_TIME,
        },
      ],
    ),
  },
  errors: [400, 401, 403],
});

export const deleteInvitation = operation({
  id: 'deleteInvitation',
  feature: 'spaces',
  method: 'DELETE',
  path: '/bots/{botId}/invitations/{invitationId}',
  summary: 'Withdraw an invitation',
  description: 'The request also succeeds if the invitation is no longer pending.',
  permission: BOT_OWNER,
  credentials: ['session'],
  params: InvitationParams,
  responses: { 204: NoContent },
  errors: [400, 401, 403, 404],
  errorExamples: {
    404: errorOf('spaces.invitation-not-found', 'The bot has no invitation with this ID.'),
  },
});
