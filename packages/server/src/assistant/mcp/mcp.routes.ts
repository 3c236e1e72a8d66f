import { randomUUID } from 'node:crypto';
import { ApiError, callMcp } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  bytesOf,
  ConfirmedRight,
  denied,
  foreignOrigin,
  type ResponseOf,
  route,
  unauthorized,
} from '../../http/index.ts';
import { readCredential } from '../../identity/index.ts';
import type { KnowledgeAccess, KnowledgeCaller } from '../../knowledge/index.ts';
import type { Links } from '../../links/index.ts';
import type { AnswerTool } from '../answerer.ts';
import type { CallTools } from '../tools/index.ts';
import { answerMcp } from './mcp-server.ts';
import type { McpServerDeps } from './registration.ts';

export interface McpRoutesDeps extends McpServerDeps {
  readonly links: Pick<Links, 'userOf' | 'assistantOf' | 'watch'>;
  readonly callTools: CallTools;
  readonly knowledgeAccess: KnowledgeAccess;
  /** Returns the service's own base URL. Pages of other origins may not call the server. */
  readonly baseUrl: () => string;
}

/**
 * Registers the MCP server (revisions 2025-03-26 to 2026-07-28, streamable HTTP without sessions). Each request is authenticated, so
 * a revoked link or key has no access from the next request on.
 */
export function registerMcpRoutes(app: FastifyInstance, deps: McpRoutesDeps): void {
  const { knowledgeAccess } = deps;

  async function authenticate(request: FastifyRequest): Promise<KnowledgeCaller> {
    // The MCP specification requires this check, which prevents DNS rebinding.
    if (foreignOrigin(request, deps.baseUrl()) !== undefined) throw otherOrigin();
    const credential = readCredential(request.headers);
    if (credential.kind === 'none') throw linkNeeded();
    if (credential.kind !== 'session') return knowledgeAccess.caller(request);
    // The token of a link has the same form as a session token. Users have no space of their own, so their sessions are rejected.
    const user = await deps.links.userOf(credential.text);
    if (user === null) throw notALink();
    return knowledgeAccess.user(user);
  }

  /** Returns the tools of the link's bot that need no consent, because nobody could give it. An API key has no tools. */
  async function toolsOf(caller: KnowledgeCaller): Promise<readonly AnswerTool[]> {
    if (caller.kind !== 'widget') return [];
    const { widget } = caller;
    const { spaceId, linkId } = widget;
    const { bot, claims } = await deps.links.assistantOf(widget);
    // Requests have no ID that is unique among the clients of a link, so each request has its own idempotency keys.
    const question = randomUUID();
    const tools = await deps.callTools.of({
      spaceId,
      linkId,
      botId: bot.id,
      claims,
      question,
      confirm: () => deps.links.watch(widget),
    });
    return tools.filter(({ needsConsent }) => !needsConsent);
  }

  route(app, callMcp, {
    caller: authenticate,
    rawBody: true,
    async handle({ caller, request, gone }) {
      const body = new Uint8Array(bytesOf(request.body));
      // A batch would count as one search or read of its link, and could cancel its own requests, which then get no response.
      if (isBatch(body)) return { status: 400, text: BATCH_REJECTED } as McpResponse;
      const spaceId = spaceOf(caller);
      const scope = await knowledgeAccess.scope(caller, spaceId);
      const right = new ConfirmedRight();
      const answer = await answerMcp(deps, scope, {
        request: new Request(`${deps.baseUrl()}${callMcp.path}`, {
          method: 'POST',
          headers: mcpHeaders(request),
          body,
        }),
        tools: await toolsOf(caller),
        signal: gone(),
      });
      // A tool of the bot can take ten seconds, in which the link can end.
      await right.renew(() => knowledgeAccess.currentScope(request, caller, spaceId));
      return { status: statusOf(answer), text: await answer.text() } as McpResponse;
    },
  });

  // Without sessions, there is no stream to open and no session to end.
  app.route({
    method: ['GET', 'DELETE'],
    url: callMcp.path,
    handler: async () => {
      throw methodNotAllowed();
    },
  });
}

function spaceOf(caller: KnowledgeCaller): string {
  if (caller.kind === 'widget') return caller.widget.spaceId;
  if (caller.caller.kind === 'key') return caller.caller.spaceId;
  throw linkNeeded();
}

const BATCH_REJECTED = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: 'Batches are not supported; send one request at a time.' },
});

function isBatch(body: Uint8Array): boolean {
  return new TextDecoder().decode(body).trimStart().startsWith('[');
}

type McpStatus = keyof typeof callMcp.responses;
type McpResponse = ResponseOf<typeof callMcp> & { readonly status: McpStatus };

function statusOf({ status }: Response): McpStatus {
  if (Object.hasOwn(callMcp.responses, status)) return status as McpStatus;
  throw new Error(`the MCP SDK answered with the status ${status}`);
}

/** Returns the headers that the transport reads. */
function mcpHeaders({ headers }: FastifyRequest): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && (name.startsWith('mcp-') || TRANSPORT_HEADERS.has(name))
      ? [[name, value] as [string, string]]
      : [],
  );
}

const TRANSPORT_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type']);

function linkNeeded(): ApiError {
  return unauthorized(
    'mcp.credential-needed',
    'The MCP server needs the token of a link, a widget session, or an API key with the scope `read`; send it as `Authorization: Bearer <token>`.',
  );
}

/** The error does not reveal whether the token is the session of a user. */
function notALink(): ApiError {
  return unauthorized(
    'links.unknown',
    'This is not the token of a link; send the token of a link, a widget session, or an API key with the scope `read`. The session of a user is not accepted.',
  );
}

function otherOrigin(): ApiError {
  return denied(
    'mcp.other-origin',
    'Pages of other origins may not call the MCP server; call it from a program.',
  );
}

function methodNotAllowed(): ApiError {
  return new ApiError({
    status: 405,
    code: 'http.method-not-allowed',
    message: 'The MCP server has no sessions and no streams to resume; it accepts only POST.',
    headers: { allow: 'POST' },
  });
}
