import assert from 'node:assert/strict';
import {
  ApiError,
  askAssistant,
  type ChatRequest,
} from '../../../../packages/contract/src/index.ts';
import {
  chatIssues,
  questionOf,
} from '../../../../packages/server/src/assistant/turns/question.rules.ts';
import { readInputBody } from '../../../../packages/server/src/http/bodies/input.ts';
import { readJson } from '../../../../packages/server/src/http/bodies/json-body.ts';
import { errorOf, type Target } from '../target.ts';

const read = readInputBody(askAssistant);

/** Bodies of `POST /chat`. */
export const chat: Target = {
  name: 'chat',
  sources: [
    '/assistant/turns/question.rules.ts',
    '/http/bodies/',
    '/lib/json/',
    '/packages/contract/src/',
  ],
  seeds: [
    '{"messages":[{"role":"user","parts":[{"type":"text","text":"How long do refunds take?"}]}]}',
    '{"id":"c1","trigger":"regenerate-message","messageId":"m1","messages":[{"id":"m1","role":"user","parts":[{"type":"text","text":"a"},{"type":"file","mediaType":"text/plain","url":"/chat/c1/attachments/0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40"}]}],"resumable":true}',
    '{"messages":[{"role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":"b"}]},{"role":"user","parts":[{"type":"text","text":"c"}]}],"context":{"page":{"a":[1]}},"pageTools":[{"name":"tool_a","description":"d","inputSchema":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}}],"timeZone":"Europe/Berlin","language":"de"}',
  ],
  words: [
    '"role":"system"',
    '"parts":[',
    '{"type":"file"',
    '"text":"\\ud800"',
    '"text":""',
    '"pageTools":[',
    '"inputSchema":',
    '"enum":[',
    '"context":{',
    '__proto__',
    '"messages":[]',
    'null',
    '\\u0000',
    ',',
    '{}',
    '[[[[',
  ],
  check(input) {
    let json: unknown;
    const malformed = errorOf(ApiError, () => {
      json = readJson(input);
    });
    if (malformed !== null) {
      assert.equal(malformed.status, 400);
      return;
    }
    let body: ChatRequest | undefined;
    const invalid = errorOf(ApiError, () => {
      body = read(input);
    });
    if (typeof json === 'object' && json !== null && !Array.isArray(json))
      for (const issue of chatIssues(json as Record<string, unknown>))
        assert.match(issue, /^\w+.*: /su);
    if (body === undefined) assert.equal(invalid?.status, 400);
    else assert.equal(typeof questionOf(body).text, 'string');
  },
};
