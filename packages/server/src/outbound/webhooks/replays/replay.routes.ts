import { cancelReplay, startReplay } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../../http/index.ts';
import type { Access } from '../../../identity/index.ts';
import type { ReplayService } from './replay.service.ts';

export interface ReplayRoutesDeps {
  readonly access: Access;
  readonly replays: ReplayService;
}

const EDIT = { role: 'editor' } as const;

export function registerReplayRoutes(app: FastifyInstance, { access, replays }: ReplayRoutesDeps) {
  route(app, startReplay, {
    caller: access.user,
    handle: async ({ caller, params, body }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 202, body: await replays.start(space, params.subscriptionId, body.from) };
    },
  });
  route(app, cancelReplay, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      await replays.cancel(space, params.subscriptionId);
      return { status: 204 };
    },
  });
}
