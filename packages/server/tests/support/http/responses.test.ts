import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorResponse, errorStatuses, operations } from '@gatehouse/contract';
import { assertResponseMatches, operationOf, type ReceivedResponse } from './responses.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const LIST = { method: 'GET', path: '/spaces?limit=2' };
const space = operationOf({ method: 'GET', path: '/spaces/1' })?.responses[200]?.example as object;

function answer(part: Partial<ReceivedResponse> & { json?: unknown }): ReceivedResponse {
  const { json, ...rest } = part;
  const body = json === undefined ? '' : JSON.stringify(json);
  return { ...LIST, status: 200, headers: JSON_TYPE, body, ...rest };
}

test('accepts every example response in the contract', () => {
  for (const { method, path, responses } of operations)
    for (const [status, { schema, mediaType, example, headers }] of Object.entries(responses)) {
      const type = mediaType ?? (schema === undefined ? undefined : 'application/json');
      const named = Object.entries(headers ?? {}).map(([name, header]) => [
        name.toLowerCase(),
        'const' in header.schema ? String(header.schema.const) : 'x',
      ]);
      const body = schema === undefined ? String(example ?? '') : JSON.stringify(example);
      const all = { ...Object.fromEntries(named), ...(type && { 'content-type': type }) };
      assertResponseMatches({ method, path, status: Number(status), headers: all, body });
    }
});

test('accepts every error response in the contract with its headers', () => {
  for (const operation of operations)
    for (const status of errorStatuses(operation)) {
      const { example, headers } = errorResponse(operation, status);
      const sent = new Headers({ ...headers, ...JSON_TYPE });
      const { method, path } = operation;
      assertResponseMatches({ method, path, status, headers: sent, body: JSON.stringify(example) });
    }
});

test('matches a path without parameters before a path with parameters', () => {
  const operation = operationOf({ method: 'POST', path: '/assistant-link/exchange' });
  assert.equal(operation?.id, 'exchangeLink');
  assert.equal(operationOf({ method: 'GET', path: '/assistant-link/1' })?.id, 'showLink');
  assert.equal(operationOf({ method: 'GET', path: '/spaces/1/bots/2' }), undefined);
});

test('reports the name of a missing response member', () => {
  const wrong = answer({ json: { items: [{ ...space, id: undefined }], next: null } });
  assert.throws(() => assertResponseMatches(wrong), /listSpaces answered 200.*\/items\/0.*id/);
});

test('rejects unknown response members at any depth', () => {
  const wrong = answer({ json: { items: [{ ...space, ownerEmail: 'x' }], next: null } });
  assert.throws(() => assertResponseMatches(wrong), /ownerEmail/);
});

test('accepts any members in objects without declared properties', () => {
  const showLink = operationOf({ method: 'GET', path: '/assistant-link/1' });
  const json = { ...(showLink?.responses[200]?.example as object), userInformation: { type: [1] } };
  assertResponseMatches(answer({ path: '/assistant-link/1', json }));
});

test('rejects a status that the operation does not declare', () => {
  const wrong = answer({ status: 409, json: { message: 'm', code: 'spaces.conflict' } });
  assert.throws(
    () => assertResponseMatches(wrong),
    /answered 409, which the contract does not declare/,
  );
});

test('rejects a 401 without WWW-Authenticate and a 503 without Retry-After', () => {
  const json = { message: 'm', code: 'c' };
  assert.throws(() => assertResponseMatches(answer({ status: 401, json })), /WWW-Authenticate/);
  assert.throws(() => assertResponseMatches(answer({ status: 503, json })), /Retry-After/);
});

test('rejects an error body that does not match the error schema', () => {
  const wrong = answer({ status: 403, json: { error: 'Forbidden' } });
  assert.throws(() => assertResponseMatches(wrong), /listSpaces answered 403/);
});

test('rejects a response with another media type or an unexpected body', () => {
  const html = answer({ headers: { 'content-type': 'text/html' }, body: '<p>' });
  assert.throws(() => assertResponseMatches(html), /as text\/html/);
  const deleted = answer({ method: 'DELETE', path: '/spaces/1', status: 204, body: '{}' });
  assert.throws(() => assertResponseMatches(deleted), /with a body/);
});

test('requires status 404, or 405 with an Allow header, for an unknown route', () => {
  const json = { message: 'm', code: 'http.not-found' };
  assertResponseMatches(answer({ path: '/nowhere', status: 404, json }));
  const other = { method: 'PUT', path: '/spaces', status: 405, json };
  assertResponseMatches(answer({ ...other, headers: { ...JSON_TYPE, allow: 'GET' } }));
  assert.throws(() => assertResponseMatches(answer(other)), /Allow/);
  assert.throws(() => assertResponseMatches(answer({ path: '/nowhere', json })), /answered 200/);
});
