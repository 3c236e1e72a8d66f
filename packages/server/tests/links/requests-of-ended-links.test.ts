import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openLink } from '../support/assistant/chat.ts';
import { openToolService } from '../support/assistant/tool-service.ts';
import { beginRequest } from '../support/http/slow-request.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';

const opened = await openToolService();
after(() => opened[Symbol.asyncDispose]());
const { service, backend, makeTool } = opened;
const { client, session, space } = service;
await makeTool();
await addDocument(client, session, space.id, {
  fileName: 'salaries.txt',
  text: 'The salary of Ada.',
  metadata: { person: 'ada' },
});

const rpc = (name: string, given: object) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  });
const question = [{ role: 'user', parts: [{ type: 'text', text: 'What is the salary?' }] }];
const REQUESTS = {
  'a search': [`/spaces/${space.id}/search`, JSON.stringify({ query: 'salary' })],
  'a search by MCP': ['/mcp', rpc('search', { query: 'salary' })],
  'a call of a tool by MCP': ['/mcp', rpc('cancel_order', { order: '1001' })],
  'a question': ['/chat', JSON.stringify({ messages: question })],
} as const;

const ENDS = {
  revoked: (linkId: string) => `/assistant-link/${linkId}`,
  erased: (_linkId: string, sub: string) => `/spaces/${space.id}/subjects/${sub}`,
} as const;

for (const [end, pathOf] of Object.entries(ENDS))
  for (const [name, [path, body]] of Object.entries(REQUESTS))
    test(`${name} is rejected if its link was ${end} while the body arrived`, async () => {
      const sub = `mallory ${name} ${end}`.replaceAll(' ', '-');
      const permissionFilter = { person: { eq: sub } };
      const { as, linkId } = await openLink(client, session, {
        spaceId: space.id,
        sub,
        permissionFilter,
      });
      backend.received.length = 0;
      const headers = {
        authorization: `Bearer ${as}`,
        accept: 'application/json, text/event-stream',
      };
      const port = Number(new URL(service.url).port);
      const running = await beginRequest(port, { path, headers, body });
      const ended = await client(pathOf(linkId, sub), { method: 'DELETE', as: session });
      assert.ok(ended.status < 300, ended.text);
      const answer = await running.finish();
      assert.equal(answer.status, 410, answer.body);
      assert.equal(JSON.parse(answer.body).code, 'links.revoked');
      assert.deepEqual(backend.received, []);
    });
