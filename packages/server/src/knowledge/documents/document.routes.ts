import {
  changeDocument,
  changeDocuments,
  createDocument,
  type Document,
  deleteDocument,
  downloadDocument,
  listDocuments,
  listPassages,
  MAX_UPLOAD_BYTES,
  putDocument,
  retryDocument,
  SpaceParams,
  showDocument,
} from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  acceptStreamedBodies,
  bodyBytes,
  bodyChunks,
  compileCheck,
  hasIdempotencyKey,
  limitBodiesTogether,
  readInputBody,
  route,
  routesFor,
} from '../../http/index.ts';
import {
  type Access,
  type Caller,
  nameOfCaller,
  OF_CREDENTIAL,
  routesOnSpace,
} from '../../identity/index.ts';
import { releaseBytes } from '../../lib/memory/index.ts';
import { respondAcrossOrigins, type SessionCorsDeps } from '../../links/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import { type KnowledgeAccess, matching, scopeForWriting } from '../search/scope.ts';
import { sha256Of } from '../uploads/content.ts';
import { DOCUMENT_PARTS, readMultipart } from '../uploads/multipart.ts';
import type { OriginalWriter } from '../uploads/original-writer.ts';
import { DigestWriter, digestOf, digestOfParts } from '../uploads/upload-digest.ts';
import { invalid } from './document.errors.ts';
import type { Documents } from './document.service.ts';
import { DocumentDeleted } from './document-parts.repository.ts';
import { downloadOf } from './download.ts';
import { readMetadata } from './metadata.rules.ts';
import {
  changeIssues,
  documentIssues,
  fromJson,
  fromParts,
  propertyIssues,
  readChange,
  type SentDocument,
} from './sent-document.ts';
import type { AddedDocument } from './upload.service.ts';

export interface DocumentRoutesDeps extends SessionCorsDeps {
  readonly documents: Documents;
  readonly knowledgeAccess: KnowledgeAccess;
  readonly access: Pick<Access, 'caller' | 'user' | 'space'>;
}

/** Maximum bytes of all uploads in flight. A JSON body counts with its size. */
const MAX_UPLOAD_BYTES_IN_FLIGHT = 64 * 1024 * 1024;
/**
 * Maximum bytes by which one multipart upload counts towards `MAX_UPLOAD_BYTES_IN_FLIGHT`. Larger uploads need no more memory,
 * because they are stored while they arrive.
 */
const MAX_MULTIPART_BYTES_IN_FLIGHT = 4 * 1024 * 1024;

const checkSpace = compileCheck(SpaceParams);
const MAY_WRITE = { role: 'editor', scope: 'knowledge:write' } as const;

export function registerDocumentRoutes(app: FastifyInstance, deps: DocumentRoutesDeps): void {
  registerReadRoutes(app, deps);
  app.register(async (part) => {
    respondAcrossOrigins(part, deps, [listPassages]);
    registerPassageRoutes(part, deps);
  });
  app.register(async (part) => {
    acceptStreamedBodies(part);
    limitBodiesTogether(part, {
      limit: MAX_UPLOAD_BYTES_IN_FLIGHT,
      largest: MAX_UPLOAD_BYTES,
      memoryOf: (request, size) =>
        isMultipart(request) ? Math.min(size, MAX_MULTIPART_BYTES_IN_FLIGHT) : size,
      spaceOf: ({ params }) => (params as { spaceId: string }).spaceId.toLowerCase(),
    });
    registerUploadRoutes(part, deps);
  });
  registerChangeRoutes(app, deps);
}

function registerReadRoutes(
  app: FastifyInstance,
  { documents, knowledgeAccess }: DocumentRoutesDeps,
): void {
  const authenticate = (request: FastifyRequest) => knowledgeAccess.caller(request);

  const routes = routesFor(app, authenticate);
  routes(listDocuments, async ({ caller, params, query }) => {
    const scope = await knowledgeAccess.scope(caller, params.spaceId);
    return documents.list(matching(scope, query), query);
  });

  routes(showDocument, async ({ caller, params }) =>
    documents.show(await knowledgeAccess.scope(caller, params.spaceId), params.documentId),
  );

  route(app, downloadDocument, {
    caller: authenticate,
    async handle({ caller, params: { spaceId, documentId }, request }) {
      const scope = await knowledgeAccess.scope(caller, spaceId);
      const { document, number, parts } = await documents.original(scope, documentId);
      const confirm = async () => {
        const current = await knowledgeAccess.currentScope(request, caller, spaceId);
        const newest = await documents.original(current, documentId);
        if (newest.number !== number) throw new DocumentDeleted();
      };
      return downloadOf(document, parts, confirm);
    },
  });
}

/** Registers the route for passages, which the chat page requests when a user opens a citation. */
function registerPassageRoutes(
  app: FastifyInstance,
  { documents, knowledgeAccess }: DocumentRoutesDeps,
): void {
  const routes = routesFor(app, (request) => knowledgeAccess.caller(request));
  routes(listPassages, async ({ caller, params, query }) => {
    const scope = await knowledgeAccess.scope(caller, params.spaceId);
    return documents.passages(scope, params.documentId, query);
  });
}

function registerUploadRoutes(
  app: FastifyInstance,
  { documents, access }: DocumentRoutesDeps,
): void {
  const readBody = readInputBody(createDocument, documentIssues);

  /** Receives the original of an upload, then stores its document. */
  async function receive(
    scope: KnowledgeScope,
    request: FastifyRequest,
    store: (received: Received) => Promise<AddedDocument>,
  ): Promise<AddedDocument> {
    await using writer = documents.receive(scope);
    const received = await read(request, writer);
    // The credential or the role can end while the body arrives.
    await authorize(request);
    // `await` keeps the writer until the document is stored.
    return await store(received);
  }

  async function read(request: FastifyRequest, writer: OriginalWriter): Promise<Received> {
    if (isMultipart(request)) {
      const type = request.headers['content-type'] ?? '';
      const parts = await readMultipart(bodyChunks(request), type, writer, DOCUMENT_PARTS);
      const sent = fromParts(parts);
      return { sent, digest: () => digestOfParts(parts, sha256Of(sent.content)) };
    }
    const body = await bodyBytes(request);
    const digest = hasIdempotencyKey(request) ? digestOf(body) : '';
    const { text, ...sent } = fromJson(readBody(body));
    releaseBytes(body);
    await writer.writeText(text);
    const { content } = await writer.finish();
    return { sent: { ...sent, content }, digest: () => digest };
  }

  // Authorises the caller before the body is received, because all bodies in flight share a limit.
  async function authorize(request: FastifyRequest): Promise<Uploader> {
    const caller = await access.caller(request);
    // The other parameters are validated after the body was received.
    const params = checkSpace(request.params);
    if (!params.ok) throw invalid(params.issues);
    const space = await access.space(caller, params.value.spaceId, MAY_WRITE);
    return { caller, scope: scopeForWriting(space) };
  }

  function created(document: Document) {
    const location = `/spaces/${document.spaceId}/documents/${document.id}`;
    return { status: 201, body: document, headers: { location } } as const;
  }

  route(app, createDocument, {
    caller: authorize,
    rawBody: true,
    replay: {
      apiKey: (request, { caller }) => OF_CREDENTIAL.apiKey(request, caller),
      caller: ({ caller }) => nameOfCaller(caller),
      authorize: async () => {},
      async bodyDigest(request) {
        const digest = await bodyDigest(request);
        // As in `receive`, the right can end while the body arrives.
        await authorize(request);
        return digest;
      },
    },
    async handle({ caller: { scope }, request, once }) {
      const { spaceId } = scope;
      const stored = once.store((document: Document) => ({ spaceId, response: created(document) }));
      const { document, isNew } = await receive(scope, request, ({ sent, digest }) => {
        once.bodyIs(digest);
        return documents.add(scope, sent, stored);
      });
      return isNew ? created(document) : { status: 200, body: document };
    },
  });

  route(app, putDocument, {
    caller: authorize,
    rawBody: true,
    async handle({ caller: { scope }, params, request }) {
      const { document, isNew } = await receive(scope, request, ({ sent }) =>
        documents.put(scope, params.key, sent),
      );
      return isNew ? created(document) : { status: 200, body: document };
    },
  });
}

interface Uploader {
  readonly caller: Caller;
  readonly scope: KnowledgeScope;
}

interface Received {
  readonly sent: SentDocument;
  /** Returns the digest of the body. */
  readonly digest: () => string;
}

/** Reads the body of a repeated upload and returns its digest. */
async function bodyDigest(request: FastifyRequest): Promise<string> {
  if (!isMultipart(request)) return digestOf(await bodyBytes(request));
  const type = request.headers['content-type'] ?? '';
  const parts = await readMultipart(bodyChunks(request), type, new DigestWriter(), DOCUMENT_PARTS);
  return digestOfParts(parts, parts.file.sha256);
}

function registerChangeRoutes(
  app: FastifyInstance,
  { documents, access }: DocumentRoutesDeps,
): void {
  const write = routesOnSpace(app, access, MAY_WRITE);
  write(
    changeDocument,
    (space, { params, body }) =>
      documents.change(scopeForWriting(space), params.documentId, readChange(body)),
    { handlerRules: changeIssues },
  );
  write(
    changeDocuments,
    async (space, { body }) => {
      const read = readMetadata(body.metadata);
      if (!read.ok) throw invalid(read.issues);
      const scope = scopeForWriting(space);
      return { changed: await documents.mergeMetadata(scope, body.ids, read.metadata) };
    },
    { handlerRules: propertyIssues },
  );
  write(retryDocument, (space, { params, query }) =>
    documents.retry(scopeForWriting(space), params.documentId, { force: query.force === 'true' }),
  );
  write(deleteDocument, (space, { params }) =>
    documents.remove(scopeForWriting(space), params.documentId),
  );
}

function isMultipart({ headers }: FastifyRequest): boolean {
  return /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
}
