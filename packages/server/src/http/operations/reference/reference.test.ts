import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type OpenApiDocument, openApiDocument, operations } from '@gatehouse/contract';
import pino from 'pino';
import { createMemoryRateCounts } from '../../../storage/memory/index.ts';
import { createHttp } from '../../create-http.ts';
import { registerReference } from './reference.ts';
import { curlLine } from './reference-curl.ts';
import { html, prose } from './reference-html.ts';
import { colouredJson } from './reference-json.ts';
import { referencePage } from './reference-page.ts';
import { schemaTable } from './reference-schema.ts';
import { limitWords, typeWords } from './reference-type.ts';

const document = openApiDocument({ baseUrl: 'https://gate.example', version: '1.2.3' });

async function ask() {
  await using app = await createHttp({
    log: pino({ level: 'silent' }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
  });
  registerReference(app, { openApi: () => document });
  return app.inject('/docs');
}

test('the page shows every operation, and each is reachable from the contents', () => {
  const page = referencePage(document);
  for (const { id, summary } of operations) {
    assert.ok(page.includes(`<article id="${id}">`), id);
    assert.ok(page.includes(`href="#${id}"`), id);
    assert.ok(page.includes(prose(summary).html), id);
  }
});

test('every id of the page stands once, and every link within it leads somewhere', () => {
  const page = referencePage(document);
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(target));
});

test('the page runs nothing, loads nothing, and its policy admits its own style alone', async () => {
  const { body, headers } = await ask();
  assert.doesNotMatch(body, /<script|<link|<img|\son\w+=|\sstyle=|url\(|@import/i);
  const style = /<style>([\s\S]*?)<\/style>/.exec(body)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = String(headers['content-security-policy']);
  assert.ok(policy.startsWith(`default-src 'none'; style-src 'sha256-${hash}';`), policy);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
});

test('whatever the document holds is shown as text', () => {
  const hostile = '</style><script>alert(1)</script>"\'&';
  const text = JSON.stringify(document).replaceAll(
    'Access links',
    JSON.stringify(hostile).slice(1, -1),
  );
  const page = referencePage({
    ...(JSON.parse(text) as OpenApiDocument),
    servers: [{ url: hostile }],
    info: { ...document.info, title: hostile, description: hostile },
  });
  assert.ok(!page.includes('<script'));
  assert.equal(page.split('</style>').length, 2);
});

test('a template escapes its parts, and takes HTML as it is', () => {
  assert.equal(html`<p>${'<&"\'>'}${html`<b>`}</p>`.html, '<p>&lt;&amp;&quot;&#39;&gt;<b></p>');
  assert.equal(prose('a `<b>` c').html, 'a <code>&lt;b&gt;</code> c');
});

test('JSON keeps its text when it is coloured', () => {
  const value = { a: ['x "y" \\', -1.5e30, true, null], 'b:': '<' };
  const text = colouredJson(value).html.replace(/<\/?i[^>]*>/g, '');
  assert.equal(text, html`${JSON.stringify(value, null, 2)}`.html);
});

test('an example request is a line that a shell can run', () => {
  const operation = document.paths['/spaces']?.post;
  assert.ok(operation?.requestBody);
  const content = { 'application/json': { schema: {}, example: { name: "Ada's $HOME" } } };
  const line = curlLine(
    {
      method: 'POST',
      path: '/spaces',
      operation: { ...operation, requestBody: { required: true, content } },
    },
    'https://gate.example',
  );
  assert.equal(
    line,
    [
      `curl 'https://gate.example/spaces'`,
      `-H "Authorization: Bearer $SESSION_TOKEN"`,
      `-H 'Content-Type: application/json'`,
      `-d '{\n  "name": "Ada'\\''s $HOME"\n}'`,
    ].join(' \\\n  '),
  );
});

test('path parameters of an example request are filled in', () => {
  const operation = document.paths['/bots/{botId}']?.delete;
  assert.ok(operation);
  const line = curlLine({ method: 'DELETE', path: '/bots/{botId}', operation }, 'http://h');
  assert.match(line, /^curl -X DELETE 'http:\/\/h\/bots\/1' /);
});

test('a type is told in few words, with its limits beside it', () => {
  const nullable = { anyOf: [{ type: 'string', maxLength: 2000 }, { type: 'null' }] };
  assert.equal(typeWords(nullable), 'string or null');
  assert.deepEqual(limitWords(nullable), ['at most 2,000 characters']);
  assert.equal(
    typeWords({ type: 'array', items: { $ref: '#/components/schemas/Link' } }),
    'array of Link',
  );
  assert.equal(typeWords({ type: 'string', enum: ['a', 'b'] }), '"a" | "b"');
  assert.deepEqual(limitWords({ minimum: 60, maximum: 2592000, default: 3600 }), [
    '60 to 2,592,000',
    'default 3600',
  ]);
});

test('members of nested objects, lists and references stand indented below theirs', () => {
  const inner = { type: 'object', required: ['b'], properties: { b: { type: 'string' } } };
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: { a: { type: 'array', items: { $ref: '#/components/schemas/Inner' } } },
  };
  const table = schemaTable(
    schema,
    (one) => (one.$ref === undefined ? one : inner),
    'request',
  ).html;
  assert.match(table, /<tr class="d0"><td><code>a<\/code><\/td>.*array of Inner/);
  assert.match(table, /<tr class="d1"><td><code>b<\/code> <b class="required">/);
  assert.match(table, /Unknown members are refused/);
});

test('a schema that holds itself ends', () => {
  const node = { type: 'object', properties: { child: { $ref: '#/components/schemas/Node' } } };
  const table = schemaTable(node, (one) => (one.$ref === undefined ? one : node), 'answer').html;
  assert.equal(table.split('<tr class=').length, 7);
});
