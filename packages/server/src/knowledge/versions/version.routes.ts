import { Readable } from 'node:stream';
import {
  downloadDocumentVersion,
  listDocumentVersions,
  restoreDocumentVersion,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import type { Access, Caller } from '../../identity/index.ts';
import { downloadHeaders } from '../documents/download-headers.ts';
import { scopeForWriting } from '../search/scope.ts';
import type { DocumentVersions } from './versions.service.ts';

export interface VersionRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly versions: DocumentVersions;
}

/** Earlier versions are readable only for callers who may change documents, because no filter of a link applies to them. */
const MAY_WRITE = { role: 'editor', scope: 'knowledge:write' } as const;

export function registerVersionRoutes(
  app: FastifyInstance,
  { access, versions }: VersionRoutesDeps,
): void {
  const scopeOf = async (caller: Caller, spaceId: string) =>
    scopeForWriting(await access.space(caller, spaceId, MAY_WRITE));

  route(app, listDocumentVersions, {
    caller: (request) => access.caller(request),
    async handle({ caller, params }) {
      const scope = await scopeOf(caller, params.spaceId);
      return { status: 200, body: { items: await versions.list(scope, params.documentId) } };
    },
  });
  route(app, downloadDocumentVersion, {
    caller: (request) => access.caller(request),
    async handle({ caller, params }) {
      const scope = await scopeOf(caller, params.spaceId);
      const { version, parts } = await versions.original(scope, params.documentId, params.version);
      const stream = Readable.from(parts, { objectMode: false });
      return { status: 200, stream, headers: downloadHeaders(version) };
    },
  });
  route(app, restoreDocumentVersion, {
    caller: (request) => access.caller(request),
    async handle({ caller, params, body }) {
      const scope = await scopeOf(caller, params.spaceId);
      const { documentId, version } = params;
      const restored = await versions.restore(scope, documentId, version, body.properties);
      return { status: 200, body: restored };
    },
  });
}
