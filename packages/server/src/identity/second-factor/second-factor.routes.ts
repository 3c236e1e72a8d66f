import {
  confirmSecondFactor,
  disableSecondFactor,
  removeSecondFactor,
  showSecondFactor,
  signInWithCode,
  startSecondFactor,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, limitByAddress, routesFor } from '../../http/index.ts';
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
  const forUsers = routesFor(app, access.user);
  routesFor(app, anyone)(
    signInWithCode,
    ({ body, request }) => codeSignIns.signIn(body.challenge, body.code, clientOf(request)),
    limitByAddress(signInWithCode, signInsPerMinute),
  );
  forUsers(showSecondFactor, ({ caller }) => secondFactors.show(caller));
  forUsers(
    startSecondFactor,
    ({ caller, body }) => secondFactors.start(caller, body.password),
    limitByAddress(startSecondFactor, signInsPerMinute),
  );
  forUsers(
    confirmSecondFactor,
    ({ caller, body }) => secondFactors.confirm(caller, body.code),
    limitByAddress(confirmSecondFactor, signInsPerMinute),
  );
  forUsers(
    disableSecondFactor,
    ({ caller, body }) => secondFactors.disable(caller, body.password, body.code),
    limitByAddress(disableSecondFactor, signInsPerMinute),
  );
  routesFor(app, access.administrator)(removeSecondFactor, ({ params }) =>
    secondFactors.remove(params.userId),
  );
}
