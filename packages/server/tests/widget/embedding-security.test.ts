import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { openProfile, skip } from '../support/browser/browser.ts';
import {
  framing,
  hostOfThisFile,
  OPEN_SHADOWS,
  openHost,
  scriptTag,
  strictPolicy,
  visitHost,
} from '../support/browser/host-page.ts';
import { untilTrue } from '../support/browser/until-true.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';
import { temporaryDirectory } from '../support/services/service.ts';

describe('embedding under security restrictions', { skip }, () => {
  const shop = shopOfThisFile();
  const host = hostOfThisFile(shop);

  async function pageWith(attributes = '', policy = strictPolicy(shop())) {
    const { token } = await shop().newLink();
    const body = scriptTag(shop(), `data-token="${token}" ${attributes}`);
    return host().add({ body, policy });
  }

  test('a page of a forbidden origin shows an error until the space allows the origin', async (t) => {
    await using stranger = await openHost();
    const { token } = await shop().newLink();
    const url = stranger.add({ body: scriptTag(shop(), `data-token="${token}"`) });
    const { page, button, chat } = await visitHost(t, shop(), url);
    const warning = page.waitForEvent('console', (line) => line.text().startsWith('Gatehouse:'));
    await button.waitFor();
    await page.evaluate("window.why = null; Gatehouse.on('error', (detail) => { why = detail; })");
    await button.click();
    await page.getByRole('alert').getByText('Chat unavailable').waitFor();
    const text = (await warning).text();
    assert.ok(text.includes(stranger.origin) && text.includes('allowedOrigins'), text);
    assert.deepEqual(await page.evaluate('why'), { reason: 'unreachable' });
    await shop().allow(stranger.origin, host().origin);
    await page.getByRole('button', { name: 'Try again' }).click();
    await chat.getByRole('textbox').waitFor();
  });

  test('the chat shows an error if its script cannot be loaded, and can retry', async (t) => {
    const cut = (page: Page) => page.route('**/embed-chat.js*', (request) => request.abort());
    const { page, button, chat } = await visitHost(t, shop(), await pageWith(), { before: cut });
    await button.click();
    await button.getByText('Chat unavailable. Try again').waitFor();
    await page.unroute('**/embed-chat.js*');
    await button.click();
    await chat.getByRole('textbox').waitFor();
    assert.equal(await button.getByText('unavailable').count(), 0);
  });

  test('the chat element accepts only valid messages from its own frame', async (t) => {
    const { token } = await shop().newLink();
    const element = `<gatehouse-chat token="${token}"></gatehouse-chat>`;
    const left = element.replace(' ', ' position="left" ');
    const body = element + left + scriptTag(shop(), '');
    const { page } = await visitHost(t, shop(), host().add({ body }));
    const chats = page.locator('gatehouse-chat');
    const frames = [0, 1].map((at) => chats.nth(at).frameLocator('iframe')) as [
      FrameLocator,
      FrameLocator,
    ];
    await page.evaluate("customElements.whenDefined('gatehouse-chat')");
    await page.evaluate(`
      window.heard = [];
      window.opened = new Set();
      for (const name of ['close', 'state', 'question', 'answer'])
        document.addEventListener('gatehouse-' + name, ({ target, detail }) => {
          heard.push([name, target.getAttribute('position')]);
          if (name === 'state' && detail.state === 'open') opened.add(target);
        });
    `);
    await page.evaluate("document.querySelectorAll('gatehouse-chat').forEach((one) => one.open())");
    // A chat may report that it is open after its text field has appeared.
    await untilTrue(page, 'opened.size === 2');
    await page.evaluate('heard.length = 0');
    // A message from the page, whose origin differs from the origin of the service.
    await page.evaluate("postMessage({ gatehouse: 1, type: 'close' }, '*')");
    // Invalid messages from a frame of the service.
    const say = (frame: FrameLocator, message: unknown) =>
      frame
        .locator('html')
        .evaluate(
          (node, said) => node.ownerDocument.defaultView.parent.postMessage(said, '*'),
          message,
        );
    for (const message of [
      { gatehouse: 2, type: 'close' },
      { type: 'close' },
      'close',
      null,
      { gatehouse: 1, type: 'toString' },
      { gatehouse: 1, type: ['close'] },
      { gatehouse: 1, type: 'state', state: 'closed' },
      { gatehouse: 1, type: 'answer', state: { toString: 'finished' } },
      { gatehouse: 1, type: 'look', title: 1, accent: null, position: null },
    ])
      await say(frames[0], message);
    // A message from the frame of the other chat.
    await say(frames[1], { gatehouse: 1, type: 'question', text: 'secret' });
    await untilTrue(page, 'heard.length > 0');
    assert.deepEqual(await page.evaluate('heard'), [['question', 'left']]);
    assert.deepEqual(
      await page.evaluate(
        "[...document.querySelectorAll('gatehouse-chat')].map((one) => one.shadowRoot.querySelector('iframe').title)",
      ),
      ['Shop assistant', 'Shop assistant'],
    );
  });

  test('the frame accepts messages only from its parent window, not from other windows of the same origin', async (t) => {
    const { service, newLink } = shop();
    const beside = host().add({ body: '' });
    const body = `${framing((await newLink()).url)}<iframe src="${beside}"></iframe>`;
    const { page } = await visitHost(t, shop(), host().add({ body }));
    const frame = page.frames().find((one) => one.url().startsWith(service.url));
    await frame?.getByRole('textbox').waitFor();
    await frame?.evaluate(`
      window.hasListened = false;
      new MutationObserver(() => { hasListened ||= document.querySelectorAll('header button').length > 1; })
        .observe(document.body, { subtree: true, childList: true });
    `);
    const init = { gatehouse: 1, type: 'init', locale: null, context: null, canRenew: false };
    const say = (message: object) =>
      `parent.frames[0].postMessage(${JSON.stringify(message)}, '*')`;
    // The mode `bubble` adds a close button.
    await page
      .frames()
      .at(-1)
      ?.evaluate(say({ ...init, mode: 'bubble' }));
    await page.evaluate(say({ ...init, mode: 'inline', locale: 'fr' }));
    await frame?.getByRole('button', { name: 'Envoyer' }).waitFor();
    assert.equal(await frame?.evaluate('hasListened'), false);
    await page.evaluate(say({ ...init, mode: 'bubble', locale: 'en' }));
    await frame?.getByRole('button', { name: 'Close' }).waitFor();
    assert.equal(await frame?.evaluate('hasListened'), true);
  });

  test('the page cannot access the shadow root of the chat element, and the service does not receive the URL of the page', async (t) => {
    const { browser, service } = shop();
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    const framed = page.waitForRequest((request) =>
      request.url().startsWith(`${service.url}/widget/`),
    );
    await page.goto(`${await pageWith('data-mode="inline"')}?secret=1`);
    assert.equal((await (await framed).allHeaders())['referer'], `${host().origin}/`);
    const frame = page.frames().find((one) => one.url().startsWith(service.url));
    await frame?.getByRole('textbox').waitFor();
    assert.equal(await page.evaluate("document.querySelector('gatehouse-chat').shadowRoot"), null);
  });

  test('the chat works if the browser blocks third-party storage', async (t) => {
    shop().model.behave(REFUND);
    using directory = temporaryDirectory();
    const context = await openProfile(directory.path, {
      profile: { block_third_party_cookies: true, cookie_controls_mode: 1 },
    });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.addInitScript(OPEN_SHADOWS);
    await page.goto(await pageWith('data-mode="inline"'));
    const chat = page.frameLocator('iframe');
    await ask(chat, 'How long does a refund take?', 'five days');
    assert.equal(await storageOf(chat), 'denied');
  });

  test('the chat works if access to storage throws', async (t) => {
    shop().model.behave(REFUND);
    const deny = (page: Page) =>
      page.addInitScript(`
        for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
          Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError'); } });
        Object.defineProperty(document, 'cookie', { get() { throw new DOMException('no', 'SecurityError'); } });
      `);
    const visited = await visitHost(t, shop(), await pageWith(), { before: deny });
    await visited.button.click();
    await ask(visited.chat, 'How long does a refund take?', 'five days');
    assert.equal(await storageOf(visited.chat), 'denied');
    assert.deepEqual(visited.problems, []);
  });

  test('the chat works in a sandboxed frame with an opaque origin', async (t) => {
    shop().model.behave(REFUND);
    const { url } = await shop().newLink();
    const body = framing(url, 'sandbox="allow-scripts"');
    const { page, problems } = await visitHost(t, shop(), host().add({ body }));
    const chat = page.frameLocator('iframe');
    await ask(chat, 'How long does a refund take?', 'five days');
    assert.equal(await storageOf(chat), 'denied');
    assert.deepEqual(problems, []);
  });

  test('the chat works in a cross-origin isolated page', async (t) => {
    const { token } = await shop().newLink();
    const headers = {
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
    };
    const url = host().add({ body: scriptTag(shop(), `data-token="${token}"`), headers });
    const { page, button, chat, problems } = await visitHost(t, shop(), url);
    assert.equal(await page.evaluate('crossOriginIsolated'), true);
    await button.click();
    await chat.getByRole('textbox').waitFor();
    assert.deepEqual(problems, []);
  });

  for (const [what, policy] of [
    ['uses nonces', "script-src 'nonce-a'"],
    ['uses strict-dynamic', "script-src 'nonce-a' 'strict-dynamic'"],
  ] as const)
    test(`the chat works if the Content-Security-Policy ${what}`, async (t) => {
      const { url } = shop().service;
      const url2 = await pageWith(
        'nonce="a"',
        `default-src 'none'; img-src data:; ${policy}; frame-src ${url}`,
      );
      const { button, chat, problems } = await visitHost(t, shop(), url2);
      await button.click();
      await chat.getByRole('textbox').waitFor();
      assert.deepEqual(problems, []);
    });
});

function storageOf(chat: FrameLocator): Promise<string> {
  return chat.locator('html').evaluate((node) => {
    try {
      node.ownerDocument.defaultView.localStorage.setItem('a', 'b');
      return 'available';
    } catch {
      return 'denied';
    }
  });
}
