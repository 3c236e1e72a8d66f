import {
  downloadDocumentVersion,
  listDocumentVersions,
  restoreDocumentVersion,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import { type Access, routesOnSpace } from '../../identity/index.ts';
import { downloadOf } from '../documents/download.ts';
import { scopeForWriting } from '../search/scope.ts';
import type { DocumentVersions } from './versions.service.ts';

export interface VersionRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'user' | 'space'>;
  readonly versions: DocumentVersions;
}

/** Earlier versions are readable only for callers who may change documents, because no filter of a link applies to them. */
const MAY_WRITE = { role: 'editor', scope: 'knowledge:write' } as const;

export function registerVersionRoutes(
  app: FastifyInstance,
  { access, versions }: VersionRoutesDeps,
): void {
  const write = routesOnSpace(app, access, MAY_WRITE);
  write(listDocumentVersions, async (space, { params }) => ({
    items: await versions.list(scopeForWriting(space), params.documentId),
  }));
  route(app, downloadDocumentVersion, {
    caller: access.caller,
    async handle({ caller, params, request }) {
      const scope = scopeForWriting(await access.space(caller, params.spaceId, MAY_WRITE));
      const { version, parts } = await versions.original(scope, params.documentId, params.version);
      const confirm = async () =>
        access.space(await access.caller(request), params.spaceId, MAY_WRITE);
      return downloadOf(version, parts, confirm);
    },
  });
  write(restoreDocumentVersion, (space, { params: { documentId, version }, body }) =>
    versions.restore(scopeForWriting(space), documentId, version, body.properties),
  );
}
