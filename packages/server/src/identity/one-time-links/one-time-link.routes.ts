import { createResetLink, redeemLink } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { limitByAddress, route } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { clientOf } from '../sessions/session.rules.ts';
import { passwordSignInOff } from '../single-sign-on/single-sign-on.errors.ts';
import { noPassword, noSuchUser, userDisabled } from '../users/user.errors.ts';
import { emailIssues } from '../users/user.rules.ts';
import { linkUrl } from './one-time-link.rules.ts';
import type { OneTimeLinks } from './one-time-link.service.ts';
import type { Redemptions } from './redemption.service.ts';

export interface OneTimeLinkRoutesDeps {
  readonly access: Access;
  readonly oneTimeLinks: OneTimeLinks;
  readonly redemptions: Redemptions;
  readonly baseUrl: () => string;
  readonly passwordSignIn: boolean;
  readonly signInsPerMinute: number;
}

export function registerOneTimeLinkRoutes(app: FastifyInstance, deps: OneTimeLinkRoutesDeps): void {
  const { access, oneTimeLinks, redemptions, baseUrl } = deps;
  route(app, redeemLink, {
    // Only an invitation of an existing user needs a session.
    caller: (request) => (access.hasCredential(request) ? access.user(request) : null),
    ...limitByAddress(redeemLink, deps.signInsPerMinute),
    rules: emailIssues,
    handle: async ({ caller, body, request }) => ({
      status: 200,
      body: await redemptions.redeem(body, caller, clientOf(request)),
    }),
  });
  route(app, createResetLink, {
    caller: access.administrator,
    handle: async ({ params }) => {
      if (!deps.passwordSignIn) throw passwordSignInOff();
      const issued = await oneTimeLinks.issue('reset', { id: params.userId });
      if (issued === 'unknown-user') throw noSuchUser();
      if (issued === 'disabled-user') throw userDisabled();
      if (issued === 'linked-user') throw noPassword();
      const url = linkUrl(baseUrl(), 'reset', issued.token);
      return { status: 201, body: { url, expiresAt: new Date(issued.expiresAt).toISOString() } };
    },
  });
}
