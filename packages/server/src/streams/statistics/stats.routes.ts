import { showEventStats } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import type { Access } from '../../identity/index.ts';
import { createStats, type StatsDeps } from './stats.service.ts';

export interface StatsRoutesDeps extends StatsDeps {
  readonly access: Access;
}

export function registerStatsRoutes(app: FastifyInstance, deps: StatsRoutesDeps): void {
  const { access } = deps;
  const stats = createStats(deps);
  route(app, showEventStats, {
    caller: (request) => access.caller(request),
    handle: async ({ caller, params: { spaceId } }) => {
      const space = await access.space(caller, spaceId, { role: 'viewer', scope: 'read' });
      return { status: 200, body: await stats(space) };
    },
  });
}
