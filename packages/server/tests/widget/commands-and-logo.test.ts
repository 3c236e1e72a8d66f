import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { skip, visit } from '../support/browser/browser.ts';
import {
  hostOfThisFile,
  scriptTag,
  strictPolicy,
  visitHost,
} from '../support/browser/host-page.ts';
import { untilTrue } from '../support/browser/until-true.ts';
import { REFUND, shopOfThisFile } from '../support/browser/widget.ts';
import { until } from '../support/until.ts';

const QUESTION = 'How long does a refund take?';
const GROUND = { light: 'rgb(255, 255, 255)', dark: 'rgb(22, 24, 29)' };
const SVG = (text: string) => `data:image/svg+xml,${encodeURIComponent(text)}`;
const SQUARE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#b3005e"/></svg>';

const questionsOf = (chat: FrameLocator) => chat.getByRole('article', { name: 'You' });
const warnings = (page: Page) => {
  const texts: string[] = [];
  page.on('console', (line) => {
    if (line.type() === 'warning') texts.push(line.text());
  });
  return texts;
};

describe('a page that sends commands to the chat', { skip }, () => {
  const shop = shopOfThisFile();
  const host = hostOfThisFile(shop);

  test('can ask before the script loads, and each question is sent once, even if the frame reloads and the link ends', async (t) => {
    const { model, newLink, revoke, service } = shop();
    model.behave(REFUND);
    const links = [await newLink({ sub: 'ada' })];
    const body = scriptTag(shop(), `data-token="${links[0]?.token}" data-get-token="mint"`);
    const before = async (page: Page) => {
      await page.exposeFunction('mint', async () => {
        links.push(await newLink({ sub: 'ada' }));
        return links.at(-1)?.token;
      });
      const call = JSON.stringify(['ask', QUESTION, { send: true }]);
      await page.addInitScript(`window.Gatehouse ??= [${call}]`);
    };
    const url = host().add({ body, policy: strictPolicy(shop()) });
    const { page, chat, problems, requests } = await visitHost(t, shop(), url, { before });
    const sent = () => requests.filter((request) => request === `${service.url}/chat`).length;
    await chat.getByRole('article').getByText('five days').waitFor();
    assert.equal(sent(), 1);
    await page.evaluate(`{
      const frame = document.querySelector('gatehouse-chat').shadowRoot.querySelector('iframe');
      frame.src = frame.src.replace('#', '?#');
    }`);
    await chat.getByText('Welcome back').waitFor();
    await chat.getByRole('article').getByText('five days').waitFor();

    // The frame processes the second question after the answer to the first question.
    await page.evaluate(`Gatehouse.ask('And <b>one</b>?', { send: true });
      Gatehouse.ask('And two?', { send: true }); Gatehouse.ask('Not sent')`);
    await questionsOf(chat).getByText('And two?').waitFor();
    await chat.getByRole('button', { name: 'Send' }).waitFor();
    assert.deepEqual(await questionsOf(chat).allTextContents(), [
      QUESTION,
      'And <b>one</b>?',
      'And two?',
    ]);
    assert.equal(sent(), 3);
    const field = chat.getByRole('textbox');
    await chat.locator('button.send[aria-disabled="false"]').waitFor();
    assert.equal(await field.inputValue(), 'Not sent');

    for (const link of links) await revoke(link);
    await page.evaluate("Gatehouse.ask('And now?', { send: true })");
    await questionsOf(chat).getByText('And now?').waitFor();
    await chat.getByRole('article').getByText('five days').nth(3).waitFor();
    assert.equal(await questionsOf(chat).getByText('And now?').count(), 1);
    const asked = model.requests.filter(({ text }) => String(text).includes('And now?'));
    assert.equal(asked.length, 1);
    assert.deepEqual(problems, []);
  });

  test('fills in a question, toggles the chat, and receives warnings about mistakes', async (t) => {
    const { token } = await shop().newLink();
    const script = scriptTag(
      shop(),
      `data-token="${token}" data-lable="Help" data-cfasync="false"`,
    );
    const body = `<button id="about">About this lamp</button>${script}`;
    const before = async (page: Page) => {
      heard.push(warnings(page));
      await page.addInitScript("window.Gatehouse ??= [['opne'], ['isOpen'], ['setTheme', 'drak']]");
    };
    const heard: string[][] = [];
    const url = host().add({ body, policy: strictPolicy(shop()) });
    const visited = await visitHost(t, shop(), url, { before });
    const { page, button, chat, problems, requests } = visited;
    const [texts = []] = heard;
    const evaluate = (script: string) => page.evaluate(script);
    await button.waitFor();
    assert.equal(await evaluate('Gatehouse.isOpen'), false);
    await evaluate("Gatehouse.init({ colour: '#fff', postion: 'left' })");
    const unsuitable = "['x'.repeat(4001), ' ', 7, null].map((text) => Gatehouse.ask(text))";
    await evaluate(`Gatehouse.toggle(); Gatehouse.close(); ${unsuitable}`);
    await page.locator('#box').waitFor({ state: 'attached' });
    assert.equal(await evaluate('Gatehouse.isOpen'), false);
    assert.equal(
      await evaluate(
        "try { (() => { 'use strict'; Gatehouse.isOpen = true; })() } catch (error) { error.name }",
      ),
      'TypeError',
    );
    await evaluate("Gatehouse.ask('<img src=x onerror=alert(1)>')");
    const field = chat.getByRole('textbox');
    await until(
      'the question is filled in',
      async () => (await field.inputValue()) === '<img src=x onerror=alert(1)>',
    );
    assert.equal(await evaluate('Gatehouse.isOpen'), true);
    assert.equal(await questionsOf(chat).count(), 0);
    // A click is a user action, so the focus moves to the filled-in question, although the chat is already open.
    await evaluate("about.onclick = () => Gatehouse.ask('Where is it?')");
    await page.getByRole('button', { name: 'About this lamp' }).click();
    await chat.locator('textarea:focus').waitFor();
    assert.equal(await field.inputValue(), 'Where is it?');
    await evaluate('Gatehouse.toggle()');
    assert.equal(await evaluate('Gatehouse.isOpen'), false);
    await evaluate('Gatehouse.toggle()');
    assert.equal(await evaluate('Gatehouse.isOpen'), true);
    assert.deepEqual(texts.sort(), [
      'Gatehouse: ask needs a text of 1 to 4000 characters; received number of 1',
      'Gatehouse: ask needs a text of 1 to 4000 characters; received object of 4',
      'Gatehouse: ask needs a text of 1 to 4000 characters; received string of 1',
      'Gatehouse: ask needs a text of 1 to 4000 characters; received string of 4001',
      'Gatehouse: setTheme needs light, dark or auto',
      'Gatehouse: unknown command isOpen (did you mean open?)',
      'Gatehouse: unknown command opne (did you mean open?)',
      'Gatehouse: unknown option colour',
      'Gatehouse: unknown option lable (did you mean data-label?)',
      'Gatehouse: unknown option postion (did you mean position?)',
    ]);
    const help = requests.filter((request) => request.includes('embed-names.js'));
    assert.equal(help.length, 1);
    assert.deepEqual(problems, []);
  });

  test('has a chat that follows its colour scheme', async (t) => {
    const { newLink } = shop();
    const { token } = await newLink();
    const body = scriptTag(shop(), `data-token="${token}" data-mode="inline"`);
    const url = host().add({ body });
    const { page, chat } = await visitHost(t, shop(), url, { colorScheme: 'light' });
    await chat.getByRole('textbox').waitFor();
    const shows = async (scheme: keyof typeof GROUND, reason: string) => {
      const ground = () =>
        chat
          .locator('body')
          .evaluate(
            (node) => node.ownerDocument.defaultView.getComputedStyle(node).backgroundColor,
          );
      for (let tries = 0; tries < 100 && (await ground()) !== GROUND[scheme]; tries += 1)
        await page.waitForTimeout(20);
      assert.equal(await ground(), GROUND[scheme], reason);
    };
    const root = (script: string) => page.evaluate(`document.documentElement.${script}`);
    await shows('light', 'the system');
    await page.emulateMedia({ colorScheme: 'dark' });
    await shows('dark', 'a changed system');
    await root("className = 'no-js light'");
    await shows('light', 'a class');
    await root("className = ''; document.documentElement.dataset.theme = 'light'");
    await shows('light', 'data-theme');
    await root("style.colorScheme = 'dark'");
    await shows('dark', 'the property color-scheme');
    await root("style.colorScheme = 'light dark'");
    await shows('dark', 'the system, because the page supports both');
    await page.emulateMedia({ colorScheme: 'light' });
    await shows('light', 'a changed system, because the page supports both');
    await page.evaluate("Gatehouse.setTheme('dark')");
    await shows('dark', 'setTheme');
    await root("style.colorScheme = 'light'");
    await shows('dark', 'setTheme, although the page has changed');
    await page.evaluate("Gatehouse.setTheme('auto')");
    await shows('light', 'the page after auto');
    const fixed = await newLink({ widget: { theme: { mode: 'dark' } } });
    await page.evaluate(`Gatehouse.setAttribute('token', '${fixed.token}')`);
    await shows('dark', 'the link');
    await page.evaluate("Gatehouse.setTheme('light')");
    await shows('light', 'setTheme instead of the link');
  });
});

describe('the logo of a link', { skip }, () => {
  const shop = shopOfThisFile();
  const images = (page: Page) => page.locator('.header img');

  test('is shown beside the title, has a text alternative and runs no scripts', async (t) => {
    const { browser, newLink } = shop();
    const script = "document.documentElement.setAttribute('onload', 'fetch(\"/stolen\")')";
    const logo = SVG(
      SQUARE.replace('><rect', ` onload="fetch('/stolen')"><script>${script}</script><rect`),
    );
    const { page, problems, requests } = await visit(t, browser);
    await page.goto((await newLink({ widget: { title: 'Shop help', logo } })).url);
    const image = page.getByRole('img', { name: 'Shop help' });
    await image.waitFor();
    assert.equal(await page.evaluate('document.images[0].naturalWidth'), 40);
    assert.deepEqual(await accessibilityViolations(page), []);
    assert.equal(
      requests.some((request) => request.includes('stolen')),
      false,
    );
    assert.deepEqual(problems, []);
  });

  test('is not shown if the image is broken, is too large or is not a data URL of an image', async (t) => {
    const { browser, newLink } = shop();
    const { page, requests } = await visit(t, browser);
    const padded = SVG(`${SQUARE}<!--${'x'.repeat(32_000)}-->`);
    for (const logo of ['data:image/png;base64,AAAA', padded, 'https://logo.example/1.png', 7]) {
      await page.goto((await newLink({ widget: { logo } })).url);
      await page.getByText('Hello!').waitFor();
      await untilTrue(page, '[...document.images].every((image) => image.complete)');
      assert.equal(
        await images(page).filter({ visible: true }).count(),
        0,
        String(logo).slice(0, 40),
      );
    }
    assert.equal(
      requests.some((request) => request.includes('logo.example')),
      false,
    );
  });
});
