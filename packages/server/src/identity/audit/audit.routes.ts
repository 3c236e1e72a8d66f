import { Readable } from 'node:stream';
import { exportAudit, listAudit } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route } from '../../http/index.ts';
import { forbidden } from '../access/access.errors.ts';
import type { Access, UserCaller } from '../access/access.ts';
import { type Audit, type AuditFilters, toAuditQuery } from './audit.service.ts';

export interface AuditRoutesDeps {
  readonly access: Access;
  readonly audit: Audit;
}

export function registerAuditRoutes(
  app: FastifyInstance,
  { access, audit }: AuditRoutesDeps,
): void {
  /** Administrators read everything. An owner of every bot reads the entries of a space. */
  async function queryOf(
    caller: UserCaller,
    { spaceId, ...filters }: AuditFilters & { readonly spaceId?: string },
  ) {
    if (spaceId === undefined) {
      if (!caller.admin) throw forbidden('an administrator, or `spaceId` of a space that you own');
      return toAuditQuery(filters, null);
    }
    // Administrators can also read the entries of a deleted space.
    if (!caller.admin) await access.ownedSpace(caller, spaceId);
    return toAuditQuery(filters, spaceId.toLowerCase());
  }

  route(app, listAudit, {
    caller: access.user,
    handle: async ({ caller, query }) => {
      const after = readCursor(query.after);
      const { after: _, limit, ...filters } = query;
      const found = await queryOf(caller, filters);
      return { status: 200, body: await audit.list(found, after, readLimit(limit)) };
    },
  });
  route(app, exportAudit, {
    caller: access.user,
    handle: async ({ caller, query, request }) => {
      const { format, ...filters } = query;
      const found = await queryOf(caller, filters);
      // An export can take minutes, so a revoked right must end it.
      const recheck = async () => queryOf(await access.user(request), filters);
      const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl';
      return {
        status: 200,
        stream: Readable.from(audit.export(found, format, recheck), { objectMode: false }),
        headers: {
          'content-type': type,
          'content-disposition': `attachment; filename="audit.${format}"`,
        },
      };
    },
  });
}
