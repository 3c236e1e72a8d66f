import { showEventStats } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Access, routesOnSpace } from '../../identity/index.ts';
import { createStats, type StatsDeps } from './stats.service.ts';

export interface StatsRoutesDeps extends StatsDeps {
  readonly access: Access;
}

export function registerStatsRoutes(app: FastifyInstance, deps: StatsRoutesDeps): void {
  const view = routesOnSpace(app, deps.access, { role: 'viewer', scope: 'read' });
  view(showEventStats, createStats(deps));
}
