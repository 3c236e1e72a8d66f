import { ApiError, type Passage, UUID } from '@gatehouse/contract';
import type {
  CallToolResult,
  ListResourcesResult,
  McpServer,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { Documents } from '../../knowledge/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import type { AnswerTool } from '../answerer.ts';
import { textOf } from './passage-text.rules.ts';
import type { McpServerDeps, Registration, Sdk } from './registration.ts';
import { registerTools } from './tools.ts';

const INSTRUCTIONS =
  'Searches and reads the documents that the user may see. Search first, then read the documents that you need. Cite documents by title, and by URL if they have one.';

export interface McpCall {
  readonly request: Request;
  /** Tools of the bot that need no consent. Empty for API keys. */
  readonly tools: readonly AnswerTool[];
  /** Cancels searches and calls if the client disconnects. */
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
  { request, tools, signal }: McpCall,
): Promise<Response> {
  // The SDK is loaded at the first request, because most installations do not use it.
  const sdk = await import('@modelcontextprotocol/server');
  const failures: unknown[] = [];
  const registration: Registration = {
    deps,
    scope,
    tools,
    signal,
    onFailure: (error) => failures.push(error),
  };
  const createServer = () => {
    const server = new sdk.McpServer(
      { name: 'gatehouse', title: 'Gatehouse', version: deps.version },
      // A client that relies on notifications would not list the tools again.
      { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
    );
    registerTools(sdk, server, registration);
    registerBotTools(sdk, server, registration);
    registerResources(sdk, server, registration);
    return server;
  };
  const answer = await answerWith(sdk, createServer, request);
  if (failures.length > 0) throw failures[0];
  return answer;
}

/** Answers in the revision of the protocol that the client speaks. */
async function answerWith(
  sdk: Sdk,
  createServer: () => McpServer,
  request: Request,
): Promise<Response> {
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

/** Registers the tools of the bot. Their results are the texts of the backend, which the client must treat as data. */
function registerBotTools(sdk: Sdk, server: McpServer, { tools, signal }: Registration): void {
  for (const tool of tools)
    server.registerTool(
      tool.name,
      {
        title: tool.title ?? tool.name,
        description: tool.description,
        inputSchema: sdk.fromJsonSchema<Record<string, unknown>>({ ...tool.inputSchema }),
        annotations: { openWorldHint: true },
      },
      (input) => call(tool, input, signal),
    );
}

async function call(
  tool: AnswerTool,
  input: unknown,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const started = await tool.start(input, signal);
  const { outcome, text } =
    'problem' in started
      ? { outcome: 'failed', text: `The arguments are invalid: ${started.problem}` }
      : await started.result();
  return { content: [{ type: 'text', text }], isError: outcome !== 'succeeded' };
}

/** Maximum passages of a resource. The tool `read` returns the rest of a longer document. */
const PASSAGES_PER_RESOURCE = 400;
const RESOURCE_PREFIX = 'gatehouse://documents/';

/** Registers the documents as resources. The handlers replace those of `McpServer`, which cannot list resources in pages. */
function registerResources(
  { ProtocolError, ProtocolErrorCode, ResourceNotFoundError }: Sdk,
  { server }: McpServer,
  { deps: { documents }, scope, onFailure }: Registration,
): void {
  const reported = <T>(reading: Promise<T>): Promise<T> =>
    reading.catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 400)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
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
    if (text === null) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: 'text/plain', text }] };
  });
}

/** Returns the text of a document, or null if there is no such document in the scope. */
async function textOfResource(
  documents: McpServerDeps['documents'],
  scope: KnowledgeScope,
  uri: string,
): Promise<string | null> {
  const id = uri.startsWith(RESOURCE_PREFIX) ? uri.slice(RESOURCE_PREFIX.length) : '';
  if (!UUID.test(id)) return null;
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
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
