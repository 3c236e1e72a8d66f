import { eraseSubject } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { routesFor } from '../../http/index.ts';
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
  routesFor(app, access.user)(eraseSubject, async ({ caller, params, query, request }) => {
    const { spaceId, sub } = params;
    const space = await access.ownedSpace(caller, spaceId);
    const confirm = async () => access.ownedSpace(await access.user(request), spaceId);
    return erasures.erase(space, sub, { events: query.events === 'true', confirm });
  });
}
