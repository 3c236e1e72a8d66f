import { cancelReplay, startReplay } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Access, routesOnSpace } from '../../../identity/index.ts';
import type { ReplayService } from './replay.service.ts';

export interface ReplayRoutesDeps {
  readonly access: Access;
  readonly replays: ReplayService;
}

export function registerReplayRoutes(app: FastifyInstance, { access, replays }: ReplayRoutesDeps) {
  const edit = routesOnSpace(app, access, { role: 'editor' });
  edit(startReplay, (space, { params, body }) =>
    replays.start(space, params.subscriptionId, body.from),
  );
  edit(cancelReplay, (space, { params }) => replays.cancel(space, params.subscriptionId));
}
