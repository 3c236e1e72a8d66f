import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { addDocument, untilIndexed } from '../support/knowledge/knowledge.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';

const CUSTOMERS = { audience: { eq: 'customers' } };
const ERAS = ['legacy', 'auto'] as const;

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

/** Connects the client of the official SDK. `auto` uses the newest revision of the protocol, `legacy` the handshake of 2025. */
async function connect(
  t: TestContext,
  token: string,
  mode: (typeof ERAS)[number] = 'auto',
): Promise<Client> {
  const mcp = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await mcp.connect(
    new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }),
  );
  t.after(() => mcp.close());
  return mcp;
}

async function shop() {
  const space = await makeSpace(client, admin, { name: 'Shop' });
  const ids: Record<string, string> = {};
  for (const [fileName, audience] of [
    ['refunds.txt', 'customers'],
    ['margins.txt', 'staff'],
  ] as const) {
    const { id } = await addDocument(client, admin, space.id, {
      fileName,
      text: `${fileName}: a refund takes five days.`,
      metadata: { audience },
    });
    ids[audience] = id;
  }
  await untilIndexed(client, admin, space.id);
  const link = await makeLink(client, admin, { spaceId: space.id, permissionFilter: CUSTOMERS });
  return { spaceId: space.id, shown: ids['customers'] ?? '', hidden: ids['staff'] ?? '', link };
}

interface Found {
  readonly items: readonly { readonly documentId: string; readonly text: string }[];
}

async function call(mcp: Client, name: string, given: Record<string, unknown>) {
  const { structuredContent, content, isError } = await mcp.callTool({ name, arguments: given });
  return { value: structuredContent, content, isError: isError === true };
}

for (const mode of ERAS)
  describe(`a client of the ${mode === 'auto' ? 'newest' : '2025'} revision with the token of a link`, () => {
    test('finds and reads only the documents that the link shows', async (t) => {
      const { link, shown, hidden } = await shop();
      const mcp = await connect(t, link.token, mode);
      const { tools } = await mcp.listTools();
      assert.deepEqual(tools.map(({ name }) => name).sort(), ['read', 'records', 'search']);
      const found = (await call(mcp, 'search', { query: 'refund' })).value as unknown as Found;
      assert.deepEqual(
        found.items.map(({ documentId }) => documentId),
        [shown],
      );
      const read = await call(mcp, 'read', { documentId: shown });
      assert.equal(Reflect.get(read.value ?? {}, 'text'), found.items[0]?.text);
      for (const documentId of [hidden, randomUUID()]) {
        const { isError, content, value } = await call(mcp, 'read', { documentId });
        assert.ok(isError);
        assert.equal(value, undefined);
        assert.match(JSON.stringify(content), /No document with this ID exists/);
      }
    });

    test('learns that the server sends no notifications', async (t) => {
      const { link } = await shop();
      const mcp = await connect(t, link.token, mode);
      const { tools, resources } = mcp.getServerCapabilities() ?? {};
      assert.deepEqual({ tools, resources }, { tools: { listChanged: false }, resources: {} });
    });

    test('gets the error of invalid parameters for an invalid cursor', async (t) => {
      const { link } = await shop();
      const mcp = await connect(t, link.token, mode);
      await assert.rejects(mcp.listResources({ cursor: 'x' }), {
        code: -32602,
        message: /`next` of the previous page/,
      });
    });

    test('lists and reads the documents as resources', async (t) => {
      const { link, shown, hidden } = await shop();
      const mcp = await connect(t, link.token, mode);
      const { resources } = await mcp.listResources();
      assert.deepEqual(
        resources.map(({ uri, name }) => ({ uri, name })),
        [{ uri: `gatehouse://documents/${shown}`, name: 'refunds.txt' }],
      );
      const { contents } = await mcp.readResource({ uri: `gatehouse://documents/${shown}` });
      assert.equal(
        Reflect.get(contents[0] ?? {}, 'text'),
        'refunds.txt: a refund takes five days.',
      );
      for (const uri of [
        `gatehouse://documents/${hidden}`,
        'gatehouse://documents/x',
        'file:///etc',
      ])
        await assert.rejects(mcp.readResource({ uri }), /not found/i);
    });
  });

test('finds only the records that the link shows, by identifier', async (t) => {
  const { spaceId } = await shop();
  const defined = await client(`/spaces/${spaceId}/projections`, {
    as: admin,
    body: {
      name: 'Order',
      types: ['example.order.*'],
      key: 'subject',
      fields: { status: '/status', customer: '/customer' },
      title: 'Order {key}',
      text: 'Order {key} is {status}.',
      metadata: { customer: { field: 'customer' } },
    },
  });
  assert.equal(defined.status, 201, defined.text);
  const events = ['1001', '1002'].map((subject) => ({
    specversion: '1.0',
    id: subject,
    source: 'https://shop.example',
    type: 'example.order.shipped',
    subject,
    data: { status: 'shipped', customer: subject === '1001' ? 'ada' : 'bob' },
  }));
  const key = await makeKey(client, admin, spaceId, ['events:write']);
  const sent = await client('/events', { as: key, body: { events } });
  assert.equal(sent.status, 200, sent.text);
  const link = await makeLink(client, admin, {
    spaceId,
    permissionFilter: { customer: { eq: 'ada' } },
  });
  const mcp = await connect(t, link.token);
  const find = async (query: string) =>
    (await call(mcp, 'records', { query })).value as unknown as Found;
  await until('the record is found', async () => (await find('1001')).items.length > 0);
  assert.match((await find('order 1001')).items[0]?.text ?? '', /^Order 1001 is shipped\./);
  assert.deepEqual(await find('1002'), { items: [] });
});

test('a revoked link has no access from the next request on', async (t) => {
  const { link } = await shop();
  const mcp = await connect(t, link.token);
  await mcp.listTools();
  await client(`/assistant-link/${link.id}`, { as: admin, method: 'DELETE' });
  await assert.rejects(call(mcp, 'search', { query: 'refund' }), /revoked/);
});

test('a changed filter of the space applies to the next call of an open client', async (t) => {
  const { link, spaceId } = await shop();
  const mcp = await connect(t, link.token);
  const changed = await client(`/spaces/${spaceId}`, {
    as: admin,
    method: 'PATCH',
    body: { permissionFilter: { audience: { eq: 'partners' } } },
  });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual((await call(mcp, 'search', { query: 'refund' })).value, { items: [] });
});

test('the first use of a link token is recorded as its opening', async (t) => {
  const { link } = await shop();
  const mcp = await connect(t, link.token);
  await mcp.listTools();
  const shown = await client(`/assistant-link/${link.id}`, { as: admin });
  assert.equal(shown.json['exchanges'], 1);
});

test('a key with the scope read searches its whole space', async (t) => {
  const { spaceId, shown, hidden } = await shop();
  const mcp = await connect(t, await makeKey(client, admin, spaceId, ['read']));
  const found = (await call(mcp, 'search', { query: 'refund' })).value as unknown as Found;
  assert.deepEqual(found.items.map(({ documentId }) => documentId).sort(), [shown, hidden].sort());
});

test('a widget session reads within its link', async (t) => {
  const { link, shown } = await shop();
  const mcp = await connect(t, await exchangeLink(client, link.token));
  const { resources } = await mcp.listResources();
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    [`gatehouse://documents/${shown}`],
  );
});

describe('a request', () => {
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const HEADERS = { accept: 'application/json, text/event-stream' };
  const send = (
    as: string | undefined,
    headers: Record<string, string> = {},
    body: unknown = LIST,
  ) =>
    client('/mcp', {
      ...(as === undefined ? {} : { as }),
      body,
      headers: { ...HEADERS, ...headers },
    });

  test('without a credential, or with one that has no space or no right, is rejected', async () => {
    const { spaceId, link } = await shop();
    const cases = [
      [undefined, 401],
      [admin, 401],
      ['unknown', 401],
      ['gh_unknown', 401],
      ['a.b.c', 401],
      [await makeKey(client, admin, spaceId, ['links:write']), 403],
      [link.token, 200],
    ] as const;
    for (const [as, status] of cases) {
      const answer = await send(as);
      assert.equal(answer.status, status, `${as}: ${answer.text}`);
    }
  });

  test('with the session of a user gets the error of an unknown token, which names the accepted credentials', async () => {
    const [ofSession, ofUnknown] = [await send(admin), await send('x'.repeat(43))];
    assert.equal(ofSession.json['code'], 'links.unknown');
    assert.match(String(ofSession.json['message']), /not the token of a link.*session of a user/);
    assert.equal(ofUnknown.json['message'], ofSession.json['message']);
  });

  test('from a page of another origin is rejected', async () => {
    const { link } = await shop();
    for (const [origin, status] of [
      [service.url, 200],
      ['https://evil.example', 403],
      ['null', 403],
    ] as const)
      assert.equal((await send(link.token, { origin })).status, status, origin);
  });

  test('that is not JSON-RPC gets an error of the protocol and never a 5xx', async () => {
    const { link } = await shop();
    for (const body of [
      {},
      [],
      { jsonrpc: '1.0' },
      { ...LIST, method: 'unknown' },
      { ...LIST, method: 'tools/call', params: { name: 'search', arguments: { query: 7 } } },
      { ...LIST, method: 'tools/call', params: { name: 'search', arguments: { query: '?' } } },
      { ...LIST, method: 'tools/call', params: { name: '__proto__' } },
      { ...LIST, method: 'resources/list', params: { cursor: 'x' } },
      { ...LIST, method: 'subscriptions/listen' },
    ]) {
      const { status, text } = await send(link.token, {}, body);
      assert.ok(status < 500, `${JSON.stringify(body)}: ${status} ${text}`);
      assert.match(text, /"(error|isError)":/, JSON.stringify(body));
    }
  });

  test('of a batch is rejected, because its searches would count as one', async () => {
    const { link } = await shop();
    const search = {
      ...LIST,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'refund' } },
    };
    const cancelled = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    };
    for (const body of [[search], [search, { ...search, id: 2 }], [search, cancelled]]) {
      const { status, text } = await send(link.token, {}, body);
      assert.equal(status, 400, text);
      assert.match(text, /one request at a time/);
    }
  });

  test('of another method than POST is rejected', async () => {
    const { link } = await shop();
    for (const method of ['GET', 'DELETE'])
      assert.equal((await client('/mcp', { as: link.token, method })).status, 405, method);
  });

  test('with a body of more than 64 KiB is rejected', async () => {
    const { link } = await shop();
    const answer = await send(link.token, {}, { ...LIST, params: { x: 'x'.repeat(70_000) } });
    assert.equal(answer.status, 413);
  });
});
