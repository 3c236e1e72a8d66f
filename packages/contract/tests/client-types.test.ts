/**
 * Compares the types of the client with the types that `openapi-typescript` generates from the OpenAPI document. The
 * client derives its types from the contract with TypeScript, and the document is derived from the contract at run time,
 * so the comparison finds errors of either derivation.
 *
 * A program assigns the body, the query, the names of the path parameters, the idempotency key and the response of each
 * operation in both directions. Four differences are intended:
 *
 * - The client sends read-only lists and accepts `undefined` for optional members. `Comparable` removes both.
 * - The document permits further members of some objects, and the client rejects them as misspelt. `Comparable` removes
 *   index signatures beside named members.
 * - Filters and stored events are objects with any members in the client (`ANY_OBJECT`). The document describes them.
 * - A body or response that is not JSON is a string or a form in the document. The client has a `Response`, and its own
 *   type for uploads. The program only checks that both sides are not JSON.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { type Operation, openApiDocument, operations } from '../src/index.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENT = JSON.stringify(
  openApiDocument({ baseUrl: 'https://gate.example', version: '0.1.0' }),
);
/** Schemas that are objects with any members in the client. */
const ANY_OBJECT = ['PermissionFilter', 'CloudEvent'];

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-client-types-'));
after(() => rm(folder, { recursive: true, force: true }));

test('the client and the OpenAPI document have the same requests and responses', async () => {
  assert.deepEqual(await differences(JSON.parse(DOCUMENT)), []);
});

test('every body, query and response of the document is compared', async () => {
  const renamed = JSON.parse(DOCUMENT, (key, value) => {
    if (key === 'properties') return withNames(value, Object.keys(value).map(rename));
    if (key === 'required' && Array.isArray(value)) return value.map(rename);
    return value?.in === 'query' ? { ...value, name: rename(value.name) } : value;
  });
  // The messages of MCP are objects with any members, so no member of them is renamed.
  const typed = operations.filter(({ id }) => id !== 'callMcp');
  const expected = typed.flatMap(({ id, body, query, responses }) => [
    ...(body === undefined ? [] : [`${id}.body`]),
    ...(query === undefined ? [] : [`${id}.query`]),
    ...(Object.values(responses).some(({ schema }) => schema !== undefined)
      ? [`${id}.response`]
      : []),
  ]);
  assert.deepEqual(await partsThatDiffer(renamed), expected.sort());
});

test('one renamed, optional or different member is a difference', async () => {
  const changed = JSON.parse(DOCUMENT);
  const { schemas } = changed.components;
  const { sub, ...properties } = schemas.NewAccessLink.properties;
  schemas.NewAccessLink.properties = { ...properties, subject: sub };
  schemas.NewBot.required = [];
  schemas.SubscriptionTest.properties.status.type = 'string';
  schemas.UserSessionList.properties.items.items = { type: 'string' };
  changed.paths['/spaces'].post.parameters = [];
  changed.components.parameters.keyId.name = 'apiKeyId';
  const expected = [
    ...['changeApiKey.params', 'createBot.body', 'createLink.body', 'createSpace.idempotencyKey'],
    ...['deleteApiKey.params', 'listSessions.response', 'listUserSessions.response'],
    ...['showApiKey.params', 'testSubscription.response'],
  ];
  assert.deepEqual(await partsThatDiffer(changed), expected);
});

const rename = (name: string) => `${name}Renamed`;

function withNames(members: object, names: readonly string[]): object {
  return Object.fromEntries(Object.values(members).map((value, index) => [names[index], value]));
}

async function partsThatDiffer(document: object): Promise<string[]> {
  const found = await differences(document);
  return [...new Set(found.map((difference) => difference.split(':')[0] ?? ''))].sort();
}

/** Compiles the program with the types of a document. Returns the parts that do not compile, with their errors. */
async function differences(document: object): Promise<string[]> {
  const directory = await mkdtemp(join(folder, 'program-'));
  const source = JSON.stringify(document, (key, value) =>
    ANY_OBJECT.includes(key) ? { type: 'object', additionalProperties: true } : value,
  );
  // A member with a default is optional in a request.
  const types = await openapiTypescript(source, { defaultNonNullable: false });
  await writeFile(join(directory, 'document.ts'), astToString(types));
  const parts = [...operations.flatMap(partsOf), ALL_ROUTES];
  const lines = [...HELPERS.split('\n'), ...parts.map(({ code }) => code)];
  await writeFile(join(directory, 'program.ts'), lines.join('\n'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  const typeRoots = [join(ROOT, 'node_modules/@types')];
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { typeRoots },
      include: ['program.ts'],
    }),
  );
  const output = await compile(directory);
  return [...output.matchAll(/^(.*?)\((\d+),\d+\): error (.*(?:\n .*)*)/gm)].map(
    ([, file, line, message]) =>
      `${parts[Number(line) - HELPERS.split('\n').length - 1]?.name ?? `${file}(${line})`}: ${message}`,
  );
}

async function compile(directory: string): Promise<string> {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const command = [compiler, '--singleThreaded', '--project', directory];
  return promisify(execFile)(process.execPath, command).then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
}

/** Line of code that compiles only if the client has exactly the routes of the contract. */
const ALL_ROUTES = {
  name: 'routes',
  code: `export const routes: Record<Route, true> = { ${operations.map((one) => `'${routeOf(one)}': true`).join(', ')} };`,
};

function routeOf({ method, idempotent, path }: Operation): string {
  return `${method}${idempotent === true ? '!' : ''} ${path}`;
}

/** Returns one line of code for each part of an operation. */
function partsOf(operation: Operation) {
  const { id, idempotent, path, responses } = operation;
  // A file that may be JSON, such as a search index, has no schema.
  const isFile = responses[200]?.otherMediaTypes?.includes('application/json') === true;
  const client = `Api['${routeOf(operation)}']`;
  const described = `operations['${id}']`;
  const statuses = Object.keys(responses).join(' | ');
  const parts = {
    body: [`${client}['body']`, `BodyOf<${described}>`],
    query: [`${client}['query']`, `QueryOf<${described}>`],
    params: [`NamesIn<'${path}'>`, `ParamsOf<${described}>`],
    idempotencyKey: [String(idempotent === true), `AcceptsKey<${described}>`],
    response: [
      `${client}['response']`,
      isFile ? `'not JSON' | undefined` : `ResponseOf<${described}, ${statuses}>`,
    ],
  };
  return Object.entries(parts).map(([part, [ours, theirs]]) => ({
    name: `${id}.${part}`,
    code: `export function ${id}_${part}(client: Comparable<${ours}>, document: Comparable<${theirs}>) { const sent: typeof document = client; const received: typeof client = document; return [sent, received]; }`,
  }));
}

const HELPERS = `
import type { Api, Route } from '${join(ROOT, 'packages/client/src/api.ts')}';
import type { operations } from './document.ts';

declare const optional: unique symbol;
type Comparable<T> = unknown extends T ? unknown
  : T extends Response ? 'not JSON'
  : T extends readonly unknown[] ? { -readonly [I in keyof T]: Comparable<T[I]> }
  : T extends object
    ? [keyof Named<T>] extends [never] ? { [name: string]: Comparable<T[keyof T]> } : Named<T>
    : T;
type Named<T> = {
  -readonly [K in keyof T as string extends K ? never : number extends K ? never : K]-?:
    Comparable<Exclude<T[K], undefined>> | (object extends Pick<T, K> ? typeof optional : never);
};
type Content<T> = T extends { content: infer C }
  ? C extends { 'application/json': infer J } ? J : 'not JSON'
  : undefined;
type BodyOf<O> = O extends { requestBody?: infer B } ? Content<Exclude<B, undefined>> : never;
type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? Exclude<Q, undefined> : never;
type ParamsOf<O> = O extends { parameters: { path: infer P } } ? KeyOf<P> : never;
type KeyOf<T> = [T] extends [never] ? never : keyof T;
type AcceptsKey<O> = O extends { parameters: { header?: infer H } }
  ? 'Idempotency-Key' extends KeyOf<Exclude<H, undefined>> ? true : false
  : false;
type ResponseOf<O, S> = O extends { responses: infer R } ? Content<R[S & keyof R]> : never;
type NamesIn<P extends string> = P extends \`\${string}{\${infer N}}\${infer R}\` ? N | NamesIn<R> : never;
`;
