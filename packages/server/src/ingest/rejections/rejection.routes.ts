import { listRejectedEvents } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route, toPage } from '../../http/index.ts';
import type { Access } from '../../identity/index.ts';
import { type Clock, DAY_MS } from '../../lib/scheduling/index.ts';
import type { RejectionRepository } from './rejection.repository.ts';
import { formatRejection } from './rejection.rules.ts';

export interface RejectionRoutesDeps {
  readonly access: Access;
  readonly rejected: RejectionRepository;
  readonly rejectedDays: number;
  readonly clock: Clock;
}

export function registerRejectionRoutes(app: FastifyInstance, deps: RejectionRoutesDeps): void {
  const { access, rejected, rejectedDays, clock } = deps;
  route(app, listRejectedEvents, {
    caller: access.user,
    handle: async ({ caller, params, query }) => {
      const before = readCursor(query.after);
      const { spaceId } = await access.space(caller, params.spaceId, { role: 'editor' });
      const limit = readLimit(query.limit);
      const since = clock() - rejectedDays * DAY_MS;
      const rows = await rejected.list(spaceId, before, since, limit + 1);
      return { status: 200, body: toPage(rows, limit, ({ id }) => id, formatRejection) };
    },
  });
}
