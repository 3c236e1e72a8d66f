import { FreeObject } from '../common.ts';
import { json, operation } from '../operation.ts';

const exampleTool = {
  name: 'search',
  title: 'Search documents',
  description: 'Searches the documents that the user may see. Returns passages, best match first.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};

const rejected = (description: string, message: string) => ({
  description,
  schema: FreeObject('A JSON-RPC error.'),
  example: { jsonrpc: '2.0', id: null, error: { code: -32600, message } },
});

export const callMcp = operation({
  id: 'callMcp',
  feature: 'knowledge',
  method: 'POST',
  path: '/mcp',
  summary: 'Call the MCP server',
  description:
    'A server of the Model Context Protocol (MCP) for the documents that the caller may see: streamable HTTP without sessions, revisions 2025-03-26 to 2026-07-28. Use an MCP client; it finds the tools and resources with `tools/list` and `resources/list`. The token of a link is also accepted: `Authorization: Bearer <token>`. Requests of a link count as searches and reads.',
  permission:
    'Requires the token of a link, a widget session, or an API key with the scope `read`.',
  credentials: ['apiKey', 'widgetSession'],
  body: FreeObject('A JSON-RPC request or notification.'),
  bodyExample: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  bodyLimit: 64 * 1024,
  responses: {
    200: json('The response.', FreeObject('A JSON-RPC response.'), {
      jsonrpc: '2.0',
      id: 1,
      result: { tools: [exampleTool] },
    }),
    202: { description: 'The notification was accepted.' },
    400: rejected('The message or its headers are invalid.', 'Invalid request'),
    404: rejected('The method does not exist.', 'Method not found'),
    406: rejected('The client accepts no media type of a response.', 'Not acceptable'),
  },
  errors: [401, 403, 410, 429],
});
