import assert from 'node:assert/strict';
import type { Client } from '../http/client.ts';

/**
 * Sends a request to the MCP server as one HTTP request, without the SDK. Returns the result, which may be the failure of a tool.
 *
 * @example
 * await callMcp(client, as, 'tools/call', { name: 'search', arguments: { query: 'refund' } });
 */
export async function callMcp<Result = unknown>(
  client: Client,
  as: string,
  method: string,
  params: object,
): Promise<Result> {
  const answer = await client('/mcp', {
    as,
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers: { accept: 'application/json, text/event-stream' },
  });
  assert.equal(answer.status, 200, answer.text);
  const [, data] = /^data: (.*)$/m.exec(answer.text) ?? [];
  const { result } = JSON.parse(data ?? answer.text) as { result?: Result };
  assert.ok(result, answer.text);
  return result;
}
