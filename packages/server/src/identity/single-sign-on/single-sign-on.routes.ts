import {
  endProviderSession,
  finishSingleSignOn,
  invalidRequest,
  listSignInMethods,
  redeemSingleSignOn,
  startSingleSignOn,
  unlinkUser,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, limitByAddress, route, routesFor } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { clientOf } from '../sessions/session.rules.ts';
import { isLocalPath } from './person.rules.ts';
import { singleSignOnOff } from './single-sign-on.errors.ts';
import type { SingleSignOn } from './single-sign-on.service.ts';

export interface SingleSignOnRoutesDeps {
  readonly access: Access;
  /** Null if single sign-on is not configured. */
  readonly singleSignOn: SingleSignOn | null;
  readonly passwordSignIn: boolean;
  readonly unlinkUser: (userId: string) => Promise<void>;
  readonly signInsPerMinute: number;
}

/** Prevents the browser from sending URLs with codes to other servers. */
const NO_REFERRER = { 'referrer-policy': 'no-referrer' };

export function registerSingleSignOnRoutes(
  app: FastifyInstance,
  deps: SingleSignOnRoutesDeps,
): void {
  const { access, singleSignOn, passwordSignIn, signInsPerMinute } = deps;
  const required = (): SingleSignOn => {
    if (singleSignOn === null) throw singleSignOnOff();
    return singleSignOn;
  };
  const forAnyone = routesFor(app, anyone);
  forAnyone(listSignInMethods, () => ({
    password: passwordSignIn,
    singleSignOn: singleSignOn !== null,
  }));
  route(app, startSingleSignOn, {
    caller: anyone,
    ...limitByAddress(startSingleSignOn, signInsPerMinute),
    handle: async ({ query }) => {
      const { location, cookie } = await required().start(readReturnTo(query.returnTo));
      return { status: 302, headers: { location, 'set-cookie': cookie, ...NO_REFERRER } };
    },
  });
  route(app, finishSingleSignOn, {
    caller: anyone,
    ...limitByAddress(finishSingleSignOn, signInsPerMinute),
    handle: async ({ request }) => {
      // Providers add parameters of their own, so the operation declares no query.
      const { searchParams } = new URL(request.url, 'http://localhost');
      const { cookie: cookies } = request.headers;
      const { location, cookie } = await required().finish(searchParams, cookies);
      return { status: 302, headers: { location, 'set-cookie': cookie, ...NO_REFERRER } };
    },
  });
  forAnyone(
    redeemSingleSignOn,
    ({ body, request }) => required().redeem(body.code, request.headers.cookie, clientOf(request)),
    limitByAddress(redeemSingleSignOn, signInsPerMinute),
  );
  route(app, endProviderSession, {
    caller: anyone,
    ...limitByAddress(endProviderSession, signInsPerMinute),
    handle: async ({ query }) => {
      const location = await required().signOutUrl(readReturnTo(query.returnTo));
      return { status: 302, headers: { location, ...NO_REFERRER } };
    },
  });
  routesFor(app, access.administrator)(unlinkUser, ({ params }) => deps.unlinkUser(params.userId));
}

function readReturnTo(returnTo = '/'): string {
  if (isLocalPath(returnTo)) return returnTo;
  throw invalidRequest('access', [
    'returnTo: must be a path of this service in printable ASCII, such as /console, without a backslash and without a fragment',
  ]);
}
