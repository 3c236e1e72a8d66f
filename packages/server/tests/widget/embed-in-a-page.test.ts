import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { settledBox, skip } from '../support/browser/browser.ts';
import {
  hostOfThisFile,
  scriptTag,
  strictPolicy,
  visitHost,
} from '../support/browser/host-page.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';
import { until } from '../support/until.ts';

describe('a page that includes the script', { skip }, () => {
  const shop = shopOfThisFile();
  const host = hostOfThisFile(shop);

  /** Creates a page that includes the script under the strictest Content-Security-Policy. Returns its URL. */
  async function pageWith(attributes: string, around = (script: string) => script) {
    const { token } = await shop().newLink();
    const script = scriptTag(shop(), `data-token="${token}" ${attributes}`);
    return host().add({ body: around(script), policy: strictPolicy(shop()) });
  }

  test('has a button that opens the chat', async (t) => {
    const { model, service } = shop();
    model.behave(REFUND);
    const visited = await visitHost(t, shop(), await pageWith(''));
    const { page, problems, requests, button, chat } = visited;
    await button.waitFor();
    assert.equal(await button.getAttribute('aria-label'), 'Open chat');
    assert.equal(await button.getAttribute('aria-expanded'), 'false');
    assert.deepEqual(requests.slice(1), [`${service.url}/embed.js`]);

    await button.click();
    await button.and(page.locator('[aria-expanded="true"]')).waitFor();
    assert.equal(await button.getAttribute('aria-label'), 'Close chat');
    assert.equal(await button.getAttribute('aria-controls'), 'box');
    await ask(chat, 'How long does a refund take?', 'five days');
    const frame = page.locator('iframe');
    assert.equal(await frame.getAttribute('title'), 'Shop assistant');
    const box = await settledBox(page.locator('#box'));
    assert.deepEqual([box?.width, box?.height], [400, 640]);

    await chat.getByRole('button', { name: 'Close' }).click();
    await frame.waitFor({ state: 'hidden' });
    assert.equal(await button.getAttribute('aria-expanded'), 'false');
    await button.click();
    await chat.getByRole('article').getByText('five days').waitFor();
    const frames = requests.filter((url) => /\/widget\/(?!assets)/.test(url));
    assert.equal(frames.length, 1);
    assert.deepEqual(problems, []);
  });

  test('has a chat that can be used with only a keyboard', async (t) => {
    shop().model.behave(REFUND);
    const { page, chat, button, problems } = await visitHost(t, shop(), await pageWith(''));
    await button.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const field = chat.getByRole('textbox', { name: 'Your question' });
    await field.and(chat.locator(':focus')).waitFor();
    await page.keyboard.type('How long does a refund take?');
    await page.keyboard.press('Enter');
    await chat.getByRole('article').getByText('five days').waitFor();
    await chat.getByRole('button', { name: 'Send' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('iframe').waitFor({ state: 'hidden' });
    await button.and(page.locator(':focus-visible')).waitFor();
    await page.keyboard.press('Space');
    await field.and(chat.locator(':focus')).waitFor();
    await page.keyboard.press('Shift+Tab');
    assert.deepEqual(problems, []);
  });

  test('shows an inline chat at the position of the script, in the size of the container', async (t) => {
    const url = await pageWith(
      'data-mode="inline"',
      (script) => `<h1>Help</h1><main>${script}</main>`,
    );
    const { page, button, chat, problems } = await visitHost(t, shop(), url);
    await chat.getByRole('textbox').waitFor();
    assert.equal(await button.isVisible(), false);
    assert.equal(await page.locator('main gatehouse-chat').count(), 1);
    const place = page.locator('gatehouse-chat');
    assert.equal((await place.boundingBox())?.height, 640);
    await page.locator('main').evaluate((main) => Object.assign(main.style, { height: '300px' }));
    assert.equal((await settledBox(page.locator('iframe')))?.height, 300);
    assert.deepEqual(problems, []);
  });

  test('shows an inline chat in its container although a style sheet resets all elements', async (t) => {
    const { token } = await shop().newLink();
    const css = '* { all: unset; display: revert } main { width: 500px; height: 400px }';
    const script = scriptTag(shop(), `data-token="${token}" data-mode="inline"`);
    const body = `<style>${css}</style><h1>Help</h1><main>${script}</main>`;
    const { page, chat } = await visitHost(t, shop(), host().add({ body }));
    await chat.getByRole('textbox').waitFor();
    const main = await page.locator('main').boundingBox();
    assert.deepEqual(await settledBox(page.locator('iframe')), main);
    assert.deepEqual([main?.width, main?.height], [500, 400]);
  });

  test('shows an inline chat that grows with its container', async (t) => {
    const css = 'display: flex; flex-direction: column; min-height: 700px';
    const { token } = await shop().newLink();
    const script = scriptTag(shop(), `data-token="${token}" data-mode="inline"`);
    const body = `<style>gatehouse-chat { flex: 1 }</style><main style="${css}">${script}</main>`;
    const { page, chat } = await visitHost(t, shop(), host().add({ body }));
    await chat.getByRole('textbox').waitFor();
    assert.equal((await settledBox(page.locator('iframe')))?.height, 700);
  });

  test('shows an inline chat in the target element, even if the element follows the script', async (t) => {
    const url = await pageWith(
      'data-mode="inline" data-target="#help"',
      (script) => `${script}<aside id="help"></aside>`,
    );
    const { page, chat } = await visitHost(t, shop(), url);
    await chat.getByRole('textbox').waitFor();
    assert.equal(await page.locator('#help gatehouse-chat').count(), 1);
  });

  test('shows the button in the window although the body has a filter, if the target is the root element', async (t) => {
    const { token } = await shop().newLink();
    const script = scriptTag(shop(), `data-token="${token}" data-target="html"`);
    const body = `<style>body { filter: invert(1); height: 3000px }</style>${script}`;
    const { button, chat } = await visitHost(t, shop(), host().add({ body }));
    await button.waitFor();
    assert.ok(((await button.boundingBox())?.y ?? 3000) < 800);
    await button.click();
    await chat.getByRole('textbox').waitFor();
  });

  test('opens a full-height panel on the configured side', async (t) => {
    const url = await pageWith('data-mode="panel" data-position="left"');
    const { page, chat, button } = await visitHost(t, shop(), url);
    await button.click();
    await chat.getByRole('textbox').waitFor();
    const box = await settledBox(page.locator('#box'));
    // The height can be fractional.
    assert.ok(box && Math.abs(box.height - 800) < 1);
    assert.deepEqual({ ...box, height: 800 }, { x: 0, y: 0, width: 400, height: 800 });
    assert.equal(await button.isVisible(), false);
    await chat.getByRole('button', { name: 'Close' }).click();
    await button.waitFor();
  });

  test('shows a chat that fills the window in page mode', async (t) => {
    const { page, chat, button } = await visitHost(t, shop(), await pageWith('data-mode="page"'));
    await chat.getByRole('textbox').waitFor();
    const box = await settledBox(page.locator('iframe'));
    assert.deepEqual(box, { x: 0, y: 0, width: 1000, height: 800 });
    assert.equal(await button.isVisible(), false);
    assert.equal(await chat.getByRole('button', { name: 'Close' }).count(), 0);
  });

  test('shows a chat that fills the screen of a phone', async (t) => {
    const viewport = { width: 390, height: 700 };
    const options = { viewport, hasTouch: true, isMobile: true };
    const visited = await visitHost(t, shop(), await pageWith(''), options);
    const { page, chat, button } = visited;
    await button.tap();
    await chat.getByRole('textbox').waitFor();
    await until('the chat has opened and fills the screen', async () =>
      isDeepStrictEqual(await page.locator('iframe').boundingBox(), { x: 0, y: 0, ...viewport }),
    );
    await button.waitFor({ state: 'hidden' });
    await chat.getByRole('button', { name: 'Close' }).tap();
    await button.waitFor();
  });

  test('has a chat in the language of the page, on the left side if the language is right-to-left', async (t) => {
    const { token } = await shop().newLink();
    const body = scriptTag(shop(), `data-token="${token}"`);
    const url = host().add({ body, root: 'lang="ar" dir="rtl"' });
    const { button } = await visitHost(t, shop(), url);
    await button.waitFor();
    assert.equal(await button.getAttribute('aria-label'), 'فتح الدردشة');
    assert.equal((await button.boundingBox())?.x, 20);
  });

  test('shows only one button if the script is included twice, but shows every inline chat', async (t) => {
    const { token } = await shop().newLink();
    const tag = scriptTag(shop(), `data-token="${token}"`);
    const twice = await visitHost(t, shop(), host().add({ body: tag + tag }));
    await twice.button.waitFor();
    await twice.page.waitForLoadState();
    assert.equal(await twice.page.locator('gatehouse-chat').count(), 1);
    await twice.page.evaluate('Gatehouse.open()');
    await twice.chat.getByRole('textbox').waitFor();

    const inline = scriptTag(shop(), `data-token="${token}" data-mode="inline"`);
    const body = `<div>${inline}</div><div>${inline}</div>`;
    const places = await visitHost(t, shop(), host().add({ body }));
    for (const place of [0, 1]) {
      const chat = places.page.locator('div > gatehouse-chat').nth(place).frameLocator('iframe');
      await chat.getByRole('textbox').waitFor();
    }
  });
});
