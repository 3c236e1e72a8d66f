import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { KnowledgeScope } from '../../storage/ports/index.ts';
import { answerMcp } from './mcp-server.ts';

const SECRET = 'relation "passages" does not exist';
const failing = () => Promise.reject(new Error(SECRET));
const deps = {
  documents: { list: failing, show: failing, passages: failing },
  search: failing,
  version: '1',
};
const ID = '0199f3a2-c5d1-7e42-8a90-6b1f3c7d2e58';

test('an unexpected error is thrown, so that the service logs it and hides its message', async () => {
  for (const [method, params] of [
    ['tools/call', { name: 'search', arguments: { query: 'refund' } }],
    ['tools/call', { name: 'records', arguments: { query: 'refund' } }],
    ['tools/call', { name: 'read', arguments: { documentId: ID } }],
    ['resources/list', {}],
    ['resources/read', { uri: `gatehouse://documents/${ID}` }],
  ] as const) {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const call = { request, tools: [], signal: new AbortController().signal };
    const answer = answerMcp(deps, new KnowledgeScope('space', matchAll), call);
    await assert.rejects(answer, { message: SECRET }, method);
  }
});
