import {
  ApiError,
  MAX_QUERY_LENGTH,
  type Passage,
  SEARCH_LIMIT,
  UUID_PATTERN,
  Uuid,
} from '@gatehouse/contract';
import type {
  CallToolResult,
  ListResourcesResult,
  McpServer,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import Type from 'typebox';
import type { Documents, SearchPassages } from '../../knowledge/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';

type Sdk = typeof import('@modelcontextprotocol/server');

export interface McpServerDeps {
  readonly documents: Pick<Documents, 'list' | 'show' | 'passages'>;
  readonly search: SearchPassages;
  readonly version: string;
}

/** Passages per page of the tool `read`. */
const PASSAGES_PER_READ = 40;
/** Maximum passages of a resource. The tool `read` returns the rest of a longer document. */
const PASSAGES_PER_RESOURCE = 400;
const UUID = new RegExp(UUID_PATTERN);
const RESOURCE_PREFIX = 'gatehouse://documents/';

const INSTRUCTIONS =
  'Searches and reads the documents that the user may see. Search first, then read the documents that you need. Cite documents by title, and by URL if they have one.';

/** Called with an error whose message clients must not see. */
type OnFailure = (error: unknown) => void;

interface Registration {
  readonly deps: McpServerDeps;
  readonly scope: KnowledgeScope;
  readonly signal: AbortSignal;
  readonly onFailure: OnFailure;
}

export interface McpCall {
  readonly request: Request;
  /** Cancels searches if the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Answers one request of the Model Context Protocol. All tools and resources read in `scope`, so they show what a search of the
 * caller shows. The response is always JSON. Throws the unexpected error of a tool or resource, because the SDK would send its message
 * to the client.
 */
export async function answerMcp(
  deps: McpServerDeps,
  scope: KnowledgeScope,
  { request, signal }: McpCall,
): Promise<Response> {
  const failures: unknown[] = [];
  const answer = await answerWith(deps, scope, { request, signal }, (error) =>
    failures.push(error),
  );
  if (failures.length > 0) throw failures[0];
  return answer;
}

async function answerWith(
  deps: McpServerDeps,
  scope: KnowledgeScope,
  { request, signal }: McpCall,
  onFailure: OnFailure,
): Promise<Response> {
  // The SDK is loaded at the first request, because most installations do not use it.
  const sdk = await import('@modelcontextprotocol/server');
  const createServer = () => {
    const server = new sdk.McpServer(
      { name: 'gatehouse', title: 'Gatehouse', version: deps.version },
      { instructions: INSTRUCTIONS },
    );
    registerTools(sdk, server, { deps, scope, signal, onFailure });
    registerResources(sdk, server, { deps, scope, onFailure });
    return server;
  };
  if (await sdk.isLegacyRequest(request)) {
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
    });
    await createServer().connect(transport);
    return transport.handleRequest(request);
  }
  // No data changes within a request, so there is nothing to subscribe to.
  const handler = sdk.createMcpHandler(createServer, {
    legacy: 'reject',
    maxSubscriptions: 0,
  });
  return handler.fetch(request);
}

const SearchInput = Type.Object({
  query: Type.String({
    minLength: 1,
    maxLength: MAX_QUERY_LENGTH,
    description: 'Words in any language. Words in double quotes must be adjacent.',
  }),
  limit: Type.Optional(
    Type.Integer({ ...SEARCH_LIMIT, description: 'Maximum number of passages. Default 10.' }),
  ),
});

const ReadInput = Type.Object({
  documentId: Uuid('ID of a document, from `search` or from the list of resources.'),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: '`next` of the previous part. Omitted: the start of the document.',
    }),
  ),
});

const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

function registerTools(
  sdk: Sdk,
  server: McpServer,
  { deps: { documents, search }, scope, signal, onFailure }: Registration,
): void {
  const result = resultOf(onFailure);
  server.registerTool(
    'search',
    {
      title: 'Search documents',
      description:
        'Searches the documents that the user may see. Returns passages, best match first.',
      inputSchema: sdk.fromJsonSchema<Type.Static<typeof SearchInput>>(SearchInput),
      annotations: READ_ONLY,
    },
    (request) =>
      result(async () => {
        const found = await search(scope, request, signal);
        const items = found.map(({ documentId: id, title, url, heading, position, text }) => ({
          documentId: id,
          title,
          url,
          heading,
          position,
          text,
        }));
        return { items };
      }),
  );
  server.registerTool(
    'records',
    {
      title: 'Find records',
      description:
        'Finds the current state and the history of records, such as orders, by identifier or by words. Considers the 50 best matches of a search.',
      inputSchema: sdk.fromJsonSchema<Type.Static<typeof SearchInput>>(SearchInput),
      annotations: READ_ONLY,
    },
    ({ query, limit = SEARCH_LIMIT.default }) =>
      result(async () => {
        const found = await search(scope, { query, limit: SEARCH_LIMIT.maximum }, signal);
        const records = found.filter(({ projectionId }) => projectionId !== null);
        const items = records.slice(0, limit).map(({ documentId: id, title, text, metadata }) => ({
          documentId: id,
          title,
          text,
          metadata,
        }));
        return { items };
      }),
  );
  server.registerTool(
    'read',
    {
      title: 'Read a document',
      description: 'Returns the text of a document in parts.',
      inputSchema: sdk.fromJsonSchema<Type.Static<typeof ReadInput>>(ReadInput),
      annotations: READ_ONLY,
    },
    ({ documentId: id, after }) =>
      result(async () => {
        const { title, url } = await documents.show(scope, id);
        const page = await documents.passages(scope, id, {
          limit: PASSAGES_PER_READ,
          ...(after === undefined ? {} : { after }),
        });
        return { documentId: id, title, url, text: textOf(page.items), next: page.next };
      }),
  );
}

/** Converts the result of a tool. An error that the caller can correct becomes a result, so that a model can correct its call. */
function resultOf(onFailure: OnFailure) {
  return async (run: () => Promise<Record<string, unknown>>): Promise<CallToolResult> => {
    try {
      const value = await run();
      return {
        content: [{ type: 'text', text: JSON.stringify(value) }],
        structuredContent: value,
      };
    } catch (error) {
      if (!(error instanceof ApiError)) {
        onFailure(error);
        throw error;
      }
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  };
}

/** Registers the documents as resources. The handlers replace those of `McpServer`, which cannot list resources in pages. */
function registerResources(
  { ProtocolError }: Sdk,
  { server }: McpServer,
  { deps: { documents }, scope, onFailure }: Omit<Registration, 'signal'>,
): void {
  const reported = <T>(reading: Promise<T>): Promise<T> =>
    reading.catch((error: unknown) => {
      if (!(error instanceof ApiError || error instanceof ProtocolError)) onFailure(error);
      throw error;
    });
  server.registerCapabilities({ resources: {} });
  server.setRequestHandler('resources/list', async ({ params }): Promise<ListResourcesResult> => {
    const cursor = params?.cursor;
    const after = cursor === undefined ? {} : { after: cursor };
    const page = await reported(documents.list(scope, { state: 'ready', ...after }));
    const resources = page.items.map(({ id, fileName, title }) => ({
      uri: `${RESOURCE_PREFIX}${id}`,
      name: fileName,
      title,
      mimeType: 'text/plain',
    }));
    return { resources, ...(page.next === null ? {} : { nextCursor: page.next }) };
  });
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: `${RESOURCE_PREFIX}{documentId}`,
        name: 'document',
        title: 'Document',
        description: 'The text of a document.',
        mimeType: 'text/plain',
      },
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params }): Promise<ReadResourceResult> => {
    const { uri } = params;
    const text = await reported(textOfResource(documents, scope, uri));
    return { contents: [{ uri, mimeType: 'text/plain', text }] };
  });
}

async function textOfResource(
  documents: McpServerDeps['documents'],
  scope: KnowledgeScope,
  uri: string,
): Promise<string> {
  const { ResourceNotFoundError } = await import('@modelcontextprotocol/server');
  const id = uri.startsWith(RESOURCE_PREFIX) ? uri.slice(RESOURCE_PREFIX.length) : '';
  if (!UUID.test(id)) throw new ResourceNotFoundError(uri);
  try {
    const passages: Passage[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<Documents['passages']>> = await documents.passages(
        scope,
        id,
        after === null ? {} : { after },
      );
      passages.push(...page.items);
      after = page.next;
    } while (after !== null && passages.length < PASSAGES_PER_RESOURCE);
    const rest =
      after === null ? '' : `\n\n[The tool \`read\` with after=${after} returns the rest.]`;
    return `${textOf(passages)}${rest}`;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw new ResourceNotFoundError(uri);
    throw error;
  }
}

/** Joins passages. A heading is shown where it changes. */
function textOf(passages: readonly Passage[]): string {
  let shown: string | null = null;
  const parts = passages.map(({ heading, text }) => {
    const isNew = heading !== null && heading !== shown;
    shown = heading;
    return isNew ? `# ${heading}\n\n${text}` : text;
  });
  return parts.join('\n\n');
}
