import { listRejectedEvents } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, toPage } from '../../http/index.ts';
import { type Access, routesOnSpace } from '../../identity/index.ts';
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
  const edit = routesOnSpace(app, access, { role: 'editor' });
  edit(listRejectedEvents, async ({ spaceId }, { query }) => {
    const limit = readLimit(query.limit);
    const since = clock() - rejectedDays * DAY_MS;
    const rows = await rejected.list(spaceId, readCursor(query.after), since, limit + 1);
    return toPage(rows, limit, ({ id }) => id, formatRejection);
  });
}
