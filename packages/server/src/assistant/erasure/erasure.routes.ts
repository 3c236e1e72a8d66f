import { eraseSubject } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import type { Access } from '../../identity/index.ts';
import type { Erasures } from './erasure.service.ts';

export interface ErasureRoutesDeps {
  readonly access: Pick<Access, 'user' | 'ownedSpace'>;
  readonly erasures: Erasures;
}

export function registerErasureRoutes(
  app: FastifyInstance,
  { access, erasures }: ErasureRoutesDeps,
): void {
  route(app, eraseSubject, {
    caller: access.user,
    handle: async ({ caller, params, query }) => {
      const space = await access.ownedSpace(caller, params.spaceId);
      const options = { events: query.events === 'true' };
      return { status: 200, body: await erasures.erase(space, params.sub, options) };
    },
  });
}
