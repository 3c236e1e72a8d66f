import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openToolService, SCHEMA } from '../support/assistant/tool-service.ts';

const opened = await openToolService();
after(() => opened[Symbol.asyncDispose]());
const { service, tools, makeTool } = opened;
const { client, session, space } = service;

describe('tools of a bot', () => {
  const valid = {
    name: 'other',
    description: 'x',
    url: 'https://shop.example/',
    inputSchema: SCHEMA,
  };
  const create = (body: object) => client(tools, { as: session, body });

  test('never show the secret again, and store it encrypted', async () => {
    const { id, secret } = await makeTool();
    for (const path of [tools, `${tools}/${id}`])
      assert.ok(!(await client(path, { as: session })).text.includes('whsec_'));
    const [row] = await service.rows('select * from tools where id = ?', id);
    assert.ok(!JSON.stringify(row).includes(secret.slice(6)));
  });

  test('must have a valid schema, a permitted URL and a free name', async () => {
    await makeTool();
    for (const [change, problem] of [
      [{ name: 'search' }, /name: is reserved/],
      [{ name: 'Cancel Order' }, /name: must consist of at most 64 lower-case letters/],
      [{ url: 'http://10.0.0.1/' }, /url: must have a public address/],
      [{ url: 'http://169.254.169.254/latest' }, /url: must have a public address/],
      [{ url: 'https://a.example/\u0000' }, /url: must not contain U\+0000/],
      [{ url: 'file:///etc/passwd' }, /url: must be an absolute/],
      [{ secret: 'short' }, /secret: must be whsec_/],
      [{ inputSchema: { type: 'array' } }, /inputSchema.type: must be .*object/],
      [
        { inputSchema: { type: 'object', properties: { a: { pattern: '(a+)+$' } } } },
        /pattern: this keyword/,
      ],
      [{ inputSchema: { type: 'object', $ref: 'https://x.example/' } }, /\$ref: this keyword/],
      [
        { inputSchema: { type: 'object', description: 'x'.repeat(8000) } },
        /at most 8000 characters/,
      ],
    ] as const) {
      const { status, text } = await create({ ...valid, ...change });
      assert.equal(status, 400, text);
      assert.match(text, problem);
    }
    assert.equal((await create({ ...valid, name: 'cancel_order' })).status, 409);
  });

  test('are limited to 20', async () => {
    await makeTool();
    for (let at = 1; at < 20; at++)
      assert.equal((await create({ ...valid, name: `tool_${at}` })).status, 201);
    assert.match((await create({ ...valid, name: 'tool_20' })).text, /chat\.too-many-tools/);
    const taken = await makeToolNames();
    assert.equal(taken.length, 20);
  });

  async function makeToolNames(): Promise<string[]> {
    const { json } = await client(tools, { as: session });
    return (json['items'] as { name: string }[]).map(({ name }) => name);
  }

  test('cannot be changed through another bot', async () => {
    const { id } = await makeTool();
    const other = await client(`/spaces/${space.id}/bots`, {
      as: session,
      body: { name: 'Other' },
    });
    const path = `/bots/${other.json['id']}/tools/${id}`;
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { body: { title: 'x' } } : {};
      assert.equal((await client(path, { method, as: session, ...body })).status, 404);
    }
  });
});
