import { Readable } from 'node:stream';
import {
  changeDocument,
  createDocument,
  deleteDocument,
  downloadDocument,
  listDocuments,
  listPassages,
  MAX_UPLOAD_BYTES,
  showDocument,
} from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  bytesOf,
  limitBodiesTogether,
  NO_NAMED_ORIGINS,
  readInputBody,
  route,
  takeMultipartBodies,
} from '../../http/index.ts';
import type { Access, Caller } from '../../identity/index.ts';
import { answerAcrossOrigins, type SessionCorsDeps } from '../../links/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import { invalid } from '../knowledge.errors.ts';
import { scopeOfSpace } from '../search/scope.ts';
import type { Viewers } from '../search/viewer.service.ts';
import type { Documents } from './document.service.ts';
import { downloadHeaders } from './download.rules.ts';
import { readMetadata } from './metadata.rules.ts';
import { readMultipart } from './multipart.ts';
import { fromJson, fromParts } from './sent-document.ts';
import type { SentDocument } from './upload.service.ts';

export interface DocumentRoutesDeps extends Omit<SessionCorsDeps, 'origins'> {
  readonly documents: Documents;
  readonly viewers: Viewers;
  readonly access: Pick<Access, 'caller' | 'space'>;
}

/** An upload takes about three times its bytes while it is read and stored. */
const UPLOADS_TOGETHER = 128 * 1024 * 1024;

const MAY_WRITE = { role: 'editor', scope: 'knowledge:write' } as const;

/** `/spaces/{spaceId}/documents` and what lies below it. */
export function registerDocumentRoutes(app: FastifyInstance, deps: DocumentRoutesDeps): void {
  registerReading(app, deps);
  app.register(async (part) => {
    const cors = { ...deps, origins: NO_NAMED_ORIGINS };
    answerAcrossOrigins(part, cors, [listPassages]);
    registerPassages(part, deps);
  });
  app.register(async (part) => {
    takeMultipartBodies(part);
    limitBodiesTogether(part, UPLOADS_TOGETHER, MAX_UPLOAD_BYTES);
    registerUpload(part, deps);
  });
  registerChanging(app, deps);
}

function registerReading(app: FastifyInstance, { documents, viewers }: DocumentRoutesDeps): void {
  const caller = (request: FastifyRequest) => viewers.viewer(request);

  route(app, listDocuments, {
    caller,
    async handle({ caller: viewer, params, query }) {
      const scope = await viewers.scope(viewer, params.spaceId);
      return { status: 200, body: await documents.list(scope, query) };
    },
  });

  route(app, showDocument, {
    caller,
    async handle({ caller: viewer, params }) {
      const scope = await viewers.scope(viewer, params.spaceId);
      return { status: 200, body: await documents.show(scope, params.documentId) };
    },
  });

  route(app, downloadDocument, {
    caller,
    async handle({ caller: viewer, params }) {
      const scope = await viewers.scope(viewer, params.spaceId);
      const { document, parts } = await documents.original(scope, params.documentId);
      // Read as fast as the client takes it: a file in memory for each slow one would be too much.
      const stream = Readable.from(parts, { objectMode: false });
      return { status: 200, stream, headers: downloadHeaders(document) };
    },
  });
}

/** What the chat's page opens when its person follows a source. */
function registerPassages(app: FastifyInstance, { documents, viewers }: DocumentRoutesDeps): void {
  route(app, listPassages, {
    caller: (request) => viewers.viewer(request),
    async handle({ caller: viewer, params, query }) {
      const scope = await viewers.scope(viewer, params.spaceId);
      return { status: 200, body: await documents.passages(scope, params.documentId, query) };
    },
  });
}

function registerUpload(app: FastifyInstance, { documents, access }: DocumentRoutesDeps): void {
  const readBody = readInputBody(createDocument);

  async function read(request: FastifyRequest): Promise<SentDocument> {
    const bytes = bytesOf(request.body);
    const type = request.headers['content-type'] ?? '';
    if (!/^multipart\/form-data\b/i.test(type)) return fromJson(readBody(bytes));
    return fromParts(await readMultipart(bytes as Uint8Array<ArrayBuffer>, type));
  }

  route(app, createDocument, {
    // Their right is asked before the body is let in: it takes opened that others need.
    async caller(request) {
      const { spaceId } = request.params as { spaceId: string };
      return writable(access, await access.caller(request), spaceId);
    },
    rawBody: true,
    async handle({ caller: scope, request }) {
      const { document, isNew } = await documents.add(scope, await read(request));
      if (!isNew) return { status: 200, body: document };
      const location = `/spaces/${document.spaceId}/documents/${document.id}`;
      return { status: 201, body: document, headers: { location } };
    },
  });
}

function registerChanging(app: FastifyInstance, { documents, access }: DocumentRoutesDeps): void {
  route(app, changeDocument, {
    caller: (request) => access.caller(request),
    async handle({ caller, params, body }) {
      const scope = await writable(access, caller, params.spaceId);
      const read = readMetadata(body.metadata);
      if (!read.ok) throw invalid(read.issues);
      const document = await documents.changeMetadata(scope, params.documentId, read.metadata);
      return { status: 200, body: document };
    },
  });

  route(app, deleteDocument, {
    caller: (request) => access.caller(request),
    async handle({ caller, params }) {
      await documents.remove(await writable(access, caller, params.spaceId), params.documentId);
      return { status: 204 };
    },
  });
}

async function writable(
  access: Pick<Access, 'space'>,
  caller: Caller,
  spaceId: string,
): Promise<KnowledgeScope> {
  return scopeOfSpace(await access.space(caller, spaceId, MAY_WRITE));
}
