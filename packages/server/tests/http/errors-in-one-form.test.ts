import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { errorResponse, type Operation, operations } from '@gatehouse/contract';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { Compile } from 'typebox/compile';
import type { Send } from '../support/http/client.ts';
import { closedSchema } from '../support/http/closed-schema.ts';
import { sendBytes } from '../support/http/raw-socket.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { bareClient: client, service } = await serviceOfThisFile();
const session = await signIn(client);
const SIGN_IN = '/auth/sign-in/email';
const MIB = 1024 * 1024;
/** One of this many bodies is sent in `npm test`. */
const SAMPLE = 8;
const [operation] = operations;
assert.ok(operation);
const errorBody = Compile(closedSchema(errorResponse(operation, 404).schema));

interface ErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

function assertRejected({ status, headers, text }: ErrorResponse, wanted: [number, string]): void {
  const body: unknown = JSON.parse(text || 'null');
  assert.ok(errorBody.Check(body), `not an error of the contract: ${status} ${text}`);
  assert.deepEqual([status, (body as { code: string }).code], wanted, text);
  assert.match(headers.get('content-type') ?? '', /^application\/json; charset=utf-8$/);
  assert.match(headers.get('x-request-id') ?? '', /^[\w-]{10,}$/);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cache-control'), 'no-store');
}

type Case = readonly [name: string, path: string, send: Send, wanted: [number, string]];

const JSON_TYPE = { 'content-type': 'application/json' };
const typed = (type: string) => ({ method: 'POST', body: '{}', headers: { 'content-type': type } });
const credential = (authorization: string) => ({ headers: { authorization } });
const NOT_FOUND: [number, string] = [404, 'http.not-found'];
const NO_METHOD: [number, string] = [405, 'http.method-not-allowed'];
const MALFORMED: [number, string] = [400, 'http.malformed-json'];
const MEDIA_TYPE: [number, string] = [415, 'http.media-type-unsupported'];
const TOO_LARGE: [number, string] = [413, 'http.body-too-large'];
const BAD_REQUEST: [number, string] = [400, 'http.bad-request'];

const CASES: readonly Case[] = [
  ['an unknown route', '/nowhere', {}, NOT_FOUND],
  ['a request for the path /', '/', {}, NOT_FOUND],
  ['a path with a trailing slash', '/healthz/', {}, NOT_FOUND],
  ['a path with a double slash', '//healthz', {}, NOT_FOUND],
  ['a path in another letter case', '/Healthz', {}, NOT_FOUND],
  ['an unknown route with a body of an unknown type', '/nowhere', typed('text/plain'), NOT_FOUND],
  [
    'an unknown route with an unsupported charset',
    '/a',
    typed('text/plain; charset=latin1'),
    NOT_FOUND,
  ],
  ['an unknown route with a large body', '/nowhere', { body: 'x'.repeat(MIB + 1) }, NOT_FOUND],
  ['a path of 8 KB', `/${'a'.repeat(8000)}`, {}, NOT_FOUND],
  ['a query that is not UTF-8', '/events?source=%FF', {}, BAD_REQUEST],
  ['a query that is not percent-encoded', '/events?source=%zz', {}, BAD_REQUEST],
  ['a query that ends inside of a character', '/events?a=b&source=%E0%A4%A', {}, BAD_REQUEST],
  ['a name in a query that is not UTF-8', '/healthz?%ED%A0%80=a', {}, BAD_REQUEST],
  ['an unknown route with a query that is not UTF-8', '/nowhere?a=%FF', {}, NOT_FOUND],
  ['a method that a route does not support', '/spaces', { method: 'PUT' }, NO_METHOD],
  [
    'an unsupported method with a body of an unknown type',
    '/spaces',
    { ...typed('text/plain'), method: 'PUT' },
    NO_METHOD,
  ],
  ['an unsupported method of the exchange', '/assistant-link/exchange', {}, NO_METHOD],
  ['a preflight of a route without CORS', '/spaces', { method: 'OPTIONS' }, NO_METHOD],
  ['JSON that ends too early', SIGN_IN, { body: '{"email":' }, MALFORMED],
  ['JSON with trailing text', SIGN_IN, { body: '{}{}' }, MALFORMED],
  ['a POST request without a body', SIGN_IN, { method: 'POST', headers: JSON_TYPE }, MALFORMED],
  ['an empty body', SIGN_IN, { body: '' }, MALFORMED],
  ['bytes that are not UTF-8', SIGN_IN, { body: Uint8Array.from([0x22, 0xff, 0x22]) }, MALFORMED],
  ['a body that is not an object', SIGN_IN, { body: '[]' }, [400, 'access.invalid']],
  ['a body of 1 MiB and one byte', SIGN_IN, { body: 'x'.repeat(MIB + 1) }, TOO_LARGE],
  ['a text/plain body', SIGN_IN, typed('text/plain'), MEDIA_TYPE],
  ['an HTML form body', SIGN_IN, typed('application/x-www-form-urlencoded'), MEDIA_TYPE],
  ['an invalid content type', SIGN_IN, typed('json'), MEDIA_TYPE],
  ['a Latin-1 body', SIGN_IN, typed('application/json; charset=latin1'), MEDIA_TYPE],
  ['a UTF-16 body', SIGN_IN, typed('application/json; charset="utf-16"'), MEDIA_TYPE],
  [
    'a gzip body',
    SIGN_IN,
    { body: new Uint8Array(gzipSync('{}')), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
    [415, 'http.encoding-unsupported'],
  ],
  [
    'a wrong content type without a credential',
    '/spaces',
    typed('text/plain'),
    [401, 'access.no-credential'],
  ],
  ['another scheme', '/spaces', credential('Basic eA=='), [401, 'access.malformed-credential']],
  ['an unknown key', '/spaces', credential('Bearer gh_x'), [401, 'access.unknown-credential']],
  [
    'a forged session',
    '/chat/conversations',
    credential('Bearer e.e.e'),
    [401, 'links.session-invalid'],
  ],
  ['a path with an id of 8 KB', `/spaces/${'a'.repeat(8000)}`, {}, [401, 'access.no-credential']],
];

for (const [name, path, send, wanted] of CASES)
  test(`rejects ${name}: ${wanted.join(' ')}`, async () => {
    const answer = await client(path, send);
    assertRejected(answer, wanted);
    if (answer.status === 405)
      assert.match(answer.headers.get('allow') ?? '', /^[A-Z]+(, [A-Z]+)*$/);
    if (answer.status === 401) assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  });

test('the API description has an example of each of these error codes', async () => {
  const { json } = await client('/openapi.json');
  const { responses } = json['components'] as { responses: Record<string, Described> };
  const examples = Object.values(responses).flatMap(({ content }) =>
    Object.keys(content?.['application/json'].examples ?? {}),
  );
  const codes = CASES.map(([, , , [, code]]) => code);
  assert.deepEqual(
    codes.filter((code) => !examples.includes(code) && code !== 'http.method-not-allowed'),
    [],
  );
});

interface Described {
  readonly content?: { readonly 'application/json': { readonly examples: object } };
}

const CLOSE = 'Host: gate.example\r\nConnection: close\r\n';
const BODY = `POST ${SIGN_IN} HTTP/1.1\r\n${CLOSE}Content-Type: application/json\r\n`;
const HEADERS_TOO_LARGE: [number, string] = [431, 'http.headers-too-large'];

const BYTES: readonly (readonly [string, string | Uint8Array, [number, string]])[] = [
  ['text that is not HTTP', 'HELO gate.example\r\n\r\n', BAD_REQUEST],
  ['the first bytes of TLS', Uint8Array.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3]), BAD_REQUEST],
  ['an unknown method', `BREW /healthz HTTP/1.1\r\n${CLOSE}\r\n`, BAD_REQUEST],
  ['a header without a colon', `GET /healthz HTTP/1.1\r\n${CLOSE}nonsense\r\n\r\n`, BAD_REQUEST],
  ['a request without Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', BAD_REQUEST],
  ['two Host headers', `GET /healthz HTTP/1.1\r\n${CLOSE}host: other.example\r\n\r\n`, BAD_REQUEST],
  [
    'two Authorization headers',
    `GET /spaces HTTP/1.1\r\n${CLOSE}Authorization: Bearer a\r\nAUTHORIZATION: Bearer b\r\n\r\n`,
    BAD_REQUEST,
  ],
  [
    'two Content-Type headers',
    `${BODY}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
    BAD_REQUEST,
  ],
  ['a Content-Length that is not a number', `${BODY}Content-Length: two\r\n\r\n{}`, BAD_REQUEST],
  [
    'a request with two message lengths',
    `${BODY}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    BAD_REQUEST,
  ],
  ['a broken chunk', `${BODY}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, BAD_REQUEST],
  ['a path that is not percent-encoded', `GET /spaces/%zz HTTP/1.1\r\n${CLOSE}\r\n`, BAD_REQUEST],
  ['a path that is not UTF-8', `GET /widget/%ff HTTP/1.1\r\n${CLOSE}\r\n`, BAD_REQUEST],
  ['a path of 20 KB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${CLOSE}\r\n`, HEADERS_TOO_LARGE],
  [
    'a header of 20 KB',
    `GET / HTTP/1.1\r\n${CLOSE}X: ${'a'.repeat(20_000)}\r\n\r\n`,
    HEADERS_TOO_LARGE,
  ],
  ['the method QUERY', `QUERY /spaces HTTP/1.1\r\n${CLOSE}\r\n`, NO_METHOD],
  ['the method TRACE', `TRACE /spaces HTTP/1.1\r\n${CLOSE}\r\n`, NO_METHOD],
  [
    'a chunked body that is too large',
    `${BODY}Transfer-Encoding: chunked\r\n\r\n110000\r\n${'x'.repeat(0x11_0000)}\r\n0\r\n\r\n`,
    TOO_LARGE,
  ],
  [
    'an unknown expectation with an invalid body',
    `${BODY}Expect: a miracle\r\nContent-Length: 2\r\n\r\n{}`,
    [400, 'access.invalid'],
  ],
];

test('the error for a large body contains the limit of the operation', async () => {
  const answer = await client('/events', { body: 'x'.repeat(8 * MIB + 1) });
  assert.equal(
    answer.json['message'],
    'The body exceeds the limit of 8388608 bytes; send less in one request.',
  );
});

for (const [name, bytes, wanted] of BYTES)
  test(`rejects ${name}: ${wanted.join(' ')}`, async () => {
    const { status, headers, body } = await sendBytes(service.port, bytes);
    assertRejected({ status, headers, text: body }, wanted);
  });

test('reports every problem in a body with the path of the invalid member', async () => {
  const body = { name: '', allowedOrigins: ['nonsense'], allowedOrigin: [] };
  const { status, json } = await client('/spaces', { as: session, body });
  assert.equal(status, 400);
  const paths = (json['issues'] as { message: string }[]).map(
    ({ message }) => message.split(':')[0],
  );
  assert.deepEqual(paths.sort(), ['allowedOrigin', 'allowedOrigins[0]', 'name']);
});

test('an error with more than 100 problems says that it lists only the first ones', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`x${n}`, 0]));
  const body = { name: 'Many problems', ...unknown };
  const { status, json } = await client('/spaces', { as: session, body });
  assert.equal(status, 400);
  assert.match(
    String(json['message']),
    /^The request has more than 100 problems; the first 100 are: /,
  );
  assert.equal((json['issues'] as unknown[]).length, 100);
});

test('reports unknown members deep inside nullable members', async () => {
  const { id } = await makeSpace(client, session);
  const periods = [{ days: ['monday'], day: 'monday', from: '09:00', to: '17:00' }];
  const { status, json } = await client(`/spaces/${id}/bots`, {
    as: session,
    body: { name: 'x', handoff: { openingHours: { timeZone: 'Europe/Berlin', periods } } },
  });
  assert.deepEqual(
    [status, json['issues']],
    [
      400,
      [{ message: 'handoff.openingHours.periods[0].days: unknown member (did you mean day?)' }],
    ],
  );
});

test('reports one problem for a member that violates both its schema and a rule', async () => {
  const { id } = await makeSpace(client, session);
  const searched = await client(`/spaces/${id}/search`, { as: session, body: { query: '' } });
  assert.deepEqual(searched.json['issues'], [{ message: 'query: must not be empty' }]);
});

test('a misspelt query parameter of a list is rejected with the nearest name', async () => {
  for (const path of ['/spaces?limt=5', '/users?limt=5', '/audit?limt=5']) {
    const { status, json } = await client(path, { as: session });
    assert.deepEqual(
      [status, json['issues']],
      [400, [{ message: 'limt: unknown member (did you mean limit?)' }]],
      path,
    );
  }
});

test('only an operation that declares it accepts a request without a body', async () => {
  const { id } = await makeSpace(client, session);
  const send = { method: 'POST', as: session };
  assertRejected(await client(`/assistant-link?spaceId=${id}`, send), MALFORMED);
  const unknown = `/spaces/${id}/subscriptions/${id}/secrets`;
  for (const headers of [{}, JSON_TYPE])
    assertRejected(await client(unknown, { ...send, headers }), [
      404,
      'deliveries.no-subscription',
    ]);
});

test('accepts the UTF-8 charset and any letter case of a content type', async () => {
  for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])
    assertRejected(await client(SIGN_IN, typed(type)), [400, 'access.invalid']);
});

test('the service generates random request IDs and ignores IDs from the client', async () => {
  const ids = new Set<string>();
  for (let n = 0; n < 20; n += 1) {
    const { headers } = await client('/healthz', { headers: { 'x-request-id': 'mine' } });
    ids.add(headers.get('x-request-id') ?? '');
  }
  assert.equal(ids.size, 20);
  // Consecutive numbers would reveal the number of requests of other clients.
  const starts = new Set([...ids].map((id) => id.slice(0, -4)));
  assert.equal(starts.size, 20);
  assert.ok(!ids.has('mine'));
});

/** Yields the value with one member, at any depth, replaced by a value of another type. */
function* withOtherTypes(value: unknown): Generator<unknown> {
  yield* [null, 1, 'x', [], [null], {}, { a: 1 }, { a: null }, { field: 1 }];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    for (const other of withOtherTypes(inner))
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
}

test('no body with a member of another type causes a 5xx on any operation', async () => {
  console.log(`seed ${SEED}`);
  const { id, botId } = await makeSpace(client, session);
  const unknown = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
  // These operations verify a password with each request.
  const SLOW = new Set(['changePassword', 'startSecondFactor', 'disableSecondFactor', 'signIn']);
  const offset = FULL ? 0 : SEED % SAMPLE;
  let position = 0;
  for (const {
    id: operationId,
    method,
    path,
    body,
    bodyExample,
  } of operations as readonly Operation[]) {
    if (body === undefined || SLOW.has(operationId)) continue;
    const target = path
      .replace('{spaceId}', id)
      .replace('{botId}', String(botId))
      .replaceAll(/\{\w+\}/g, unknown);
    for (const other of withOtherTypes(bodyExample)) {
      position += 1;
      if (!FULL && position % SAMPLE !== offset) continue;
      const sent = JSON.stringify(other);
      const { status, text } = await client(target, { method, as: session, body: sent });
      assert.ok(status < 500, `${method} ${path} ${sent}: ${status} ${text}`);
    }
  }
});
