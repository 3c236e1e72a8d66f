import { createInvitation, deleteInvitation, listInvitations } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { routesOnBot } from '../access/checked-routes.ts';
import { replayOnBot } from '../access/replay.ts';
import { linkUrl } from '../one-time-links/one-time-link.rules.ts';
import { emailIssues } from '../users/user.rules.ts';
import type { Invitations, MadeInvitation } from './invitation.service.ts';

const OWN = { role: 'owner' } as const;

export interface InvitationRoutesDeps {
  readonly access: Access;
  readonly invitations: Invitations;
  readonly baseUrl: () => string;
}

export function registerInvitationRoutes(app: FastifyInstance, deps: InvitationRoutesDeps): void {
  const { access, invitations, baseUrl } = deps;
  route(app, createInvitation, {
    caller: access.user,
    rules: emailIssues,
    replay: replayOnBot(access, OWN),
    handle: async ({ caller, params, body, once }) => {
      const bot = await access.bot(caller, params.botId, OWN);
      const created = ({ invitation, token }: MadeInvitation) => {
        const { id, email, role, expiresAt } = invitation;
        const url = linkUrl(baseUrl(), 'invitation', token);
        return { status: 201, body: { id, email, role, url, expiresAt } } as const;
      };
      const stored = once.store((made: MadeInvitation) => ({
        spaceId: bot.spaceId,
        response: created(made),
      }));
      return created(await invitations.create(bot, caller, body, stored));
    },
  });
  const own = routesOnBot(app, access, OWN);
  own(listInvitations, (bot, { query }) =>
    invitations.list(bot, readCursor(query.after), readLimit(query.limit)),
  );
  own(deleteInvitation, (bot, { params }) => invitations.withdraw(bot, params.invitationId));
}
