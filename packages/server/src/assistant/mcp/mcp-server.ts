import type { McpServer } from '@modelcontextprotocol/server';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import type { AnswerTool } from '../answerer.ts';
import { registerBotTools } from './bot-tools.ts';
import type { McpServerDeps, Registration, Sdk } from './registration.ts';
import { registerResources } from './resources.ts';
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
      { instructions: INSTRUCTIONS },
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
