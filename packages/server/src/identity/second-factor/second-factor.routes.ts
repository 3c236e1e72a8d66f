import {
  confirmSecondFactor,
  disableSecondFactor,
  removeSecondFactor,
  showSecondFactor,
  signInWithCode,
  startSecondFactor,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, limitByAddress, route } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { clientOf } from '../sessions/session.rules.ts';
import type { CodeSignIns } from './code-sign-in.service.ts';
import type { SecondFactors } from './second-factor.service.ts';

export interface SecondFactorRoutesDeps {
  readonly access: Access;
  readonly codeSignIns: CodeSignIns;
  readonly secondFactors: SecondFactors;
  readonly signInsPerMinute: number;
}

export function registerSecondFactorRoutes(
  app: FastifyInstance,
  { access, codeSignIns, secondFactors, signInsPerMinute }: SecondFactorRoutesDeps,
): void {
  route(app, signInWithCode, {
    caller: anyone,
    ...limitByAddress(signInWithCode, signInsPerMinute),
    handle: async ({ body, request }) => ({
      status: 200,
      body: await codeSignIns.signIn(body.challenge, body.code, clientOf(request)),
    }),
  });
  route(app, showSecondFactor, {
    caller: access.user,
    handle: async ({ caller }) => ({ status: 200, body: await secondFactors.show(caller) }),
  });
  route(app, startSecondFactor, {
    caller: access.user,
    ...limitByAddress(startSecondFactor, signInsPerMinute),
    handle: async ({ caller, body }) => ({
      status: 201,
      body: await secondFactors.start(caller, body.password),
    }),
  });
  route(app, confirmSecondFactor, {
    caller: access.user,
    ...limitByAddress(confirmSecondFactor, signInsPerMinute),
    handle: async ({ caller, body }) => ({
      status: 200,
      body: await secondFactors.confirm(caller, body.code),
    }),
  });
  route(app, disableSecondFactor, {
    caller: access.user,
    ...limitByAddress(disableSecondFactor, signInsPerMinute),
    handle: async ({ caller, body }) => {
      await secondFactors.disable(caller, body.password, body.code);
      return { status: 204 };
    },
  });
  route(app, removeSecondFactor, {
    caller: access.administrator,
    handle: async ({ params }) => {
      await secondFactors.remove(params.userId);
      return { status: 204 };
    },
  });
}
