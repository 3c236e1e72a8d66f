import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openBrowser, skip, visit } from '../../server/tests/support/browser/browser.ts';
import { serviceOfThisFile } from '../../server/tests/support/services/file-service.ts';
import { ADMIN } from '../../server/tests/support/services/service.ts';
import { bundle } from '../build/bundle.ts';
import { Gatehouse } from '../src/index.ts';
import { json, startHostileServer } from './hostile-server.ts';

describe('in a browser', { skip }, async () => {
  if (skip !== false) return;
  const { service } = await serviceOfThisFile();
  const { url } = service;
  const { token } = await new Gatehouse({ url }).auth.signIn(ADMIN);
  const { id: spaceId } = await new Gatehouse({ url, token }).spaces.create({ name: 'Shop' });
  const admin = new Gatehouse({ url, token, spaceId });
  const code = await bundle({
    entry: "export * from './src/index.ts';",
    format: 'iife',
    minify: true,
  });
  const browser = await openBrowser();
  after(() => browser.close());

  /** Runs a program in a page of the service. */
  const inPage = async (
    t: Parameters<typeof visit>[0],
    program: string,
    from = url,
  ): Promise<unknown> => {
    const { page, problems } = await visit(t, browser);
    await page.goto(`${from}/healthz`);
    const settings = JSON.stringify({ url, token, spaceId });
    const result = await page.evaluate(
      `(async () => { ${code}; const settings = ${settings}; const { Gatehouse, Assistant } = gatehouse; ${program} })()`,
    );
    assert.deepEqual(problems, []);
    return result;
  };

  test('an upload reports its progress, and its errors have their classes', async (t) => {
    const result = await inPage(
      t,
      `const client = new Gatehouse(settings);
       const seen = [];
       const file = new File([new Uint8Array(2_000_000).fill(97)], 'large.txt', { type: 'text/plain' });
       const { bytes } = await client.documents.create({ file }, { onProgress: (one) => seen.push(one) });
       const wrong = new File(['a'], 'a.exe');
       const error = await client.documents.create({ file: wrong }, { onProgress() {} }).catch((one) => one);
       const controller = new AbortController();
       const aborted = client.documents.create({ file }, { onProgress: () => controller.abort(), signal: controller.signal });
       const reason = await aborted.then(() => 'uploaded', (one) => one.name);
       return { bytes, last: seen.at(-1), error: error instanceof gatehouse.ApiError && error.requestId, reason };`,
    );
    const { error, ...rest } = result as { readonly error: unknown };
    assert.deepEqual(rest, {
      bytes: 2_000_000,
      last: { loaded: 2_000_000, total: 2_000_000 },
      reason: 'AbortError',
    });
    assert.equal(typeof error, 'string');
  });

  test('an assistant answers, and a live stream receives an event', async (t) => {
    const { token: linkToken } = await admin.links.create({ sub: 'customer-42' });
    const result = await inPage(
      t,
      `const assistant = await Assistant.open({ url: settings.url, linkToken: '${linkToken}' });
       const types = new Set();
       for await (const part of assistant.chat.ask('How long does a refund take?')) types.add(part.type);
       const client = new Gatehouse(settings);
       await client.events.send([{ id: '0', source: 'https://a.example', type: 'x' }]);
       const { resume } = await client.events.list();
       const stream = client.events.stream({ after: resume });
       await client.events.send([{ id: '1', source: 'https://a.example', type: 'x' }]);
       const { value } = await stream.next();
       await stream.return();
       return { isFinished: types.has('finish'), id: value.event.id };`,
    );
    assert.deepEqual(result, { isFinished: true, id: '1' });
  });

  test('an assistant answers on a page of another origin that the space allows', async (t) => {
    await using shop = await startHostileServer(json(200, {}));
    await admin.spaces.update(spaceId, { allowedOrigins: [shop.url] });
    const { token: linkToken } = await admin.links.create({ sub: 'customer-43' });
    const program = `
      const assistant = await Assistant.open({ url: settings.url, linkToken: '${linkToken}' });
      const types = new Set();
      for await (const part of assistant.chat.ask('refund?')) types.add(part.type);
      const conversations = await assistant.conversations.list();
      return [types.has('finish'), conversations.items.length];`;
    assert.deepEqual(await inPage(t, program, shop.url), [true, 1]);
  });
});
