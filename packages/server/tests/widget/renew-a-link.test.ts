import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skip } from '../support/browser.ts';
import { hostOfThisFile, scriptTag, strictPolicy, visitHost } from '../support/host-page.ts';
import type { MadeLink } from '../support/provision.ts';
import { ask, REFUND, shopOfThisFile } from '../support/widget.ts';

describe('a page that gives fresh links', { skip }, () => {
  const shop = shopOfThisFile();
  const host = hostOfThisFile(shop);

  /** A back end that gives links for one person, each one kept in the list. */
  function backend(sub: string) {
    const links: MadeLink[] = [];
    const mint = async () => {
      links.push(await shop().newLink({ sub }));
      return links.at(-1)?.token;
    };
    return { links, before: (page: Page) => page.exposeFunction('mint', mint) };
  }

  const pageWith = (attributes: string) =>
    host().add({ body: scriptTag(shop(), attributes), policy: strictPolicy(shop()) });

  test('needs none before, and the conversation goes on when one has ended', async (t) => {
    const { model, revoke } = shop();
    model.behave(REFUND);
    const { links, before } = backend('ada');
    const visited = await visitHost(t, shop(), pageWith('data-get-token="mint"'), { before });
    const { page, button, chat, requests, problems } = visited;
    await button.click();
    await ask(chat, 'How long is a refund?', 'five days');
    assert.equal(links.length, 1);
    await revoke(links[0] as MadeLink);
    await ask(chat, 'Is that so?');
    await chat.getByRole('article').nth(3).getByText('five days').waitFor();
    assert.equal(links.length, 2);
    assert.equal(await chat.getByRole('article').count(), 4);
    assert.match(String(model.requests.at(-1)?.text), /How long is a refund\?/);

    await page.evaluate('Gatehouse.remove(); document.body.append(Gatehouse)');
    await chat.getByRole('article').nth(3).getByText('five days').waitFor();
    assert.equal(links.length, 2);
    const frames = requests.filter((url) => /\/widget\/(?!assets)/.test(url));
    assert.deepEqual(
      frames,
      links.map(({ url }) => url),
    );
    assert.deepEqual(problems, []);
  });

  test('may hand over a function, before the script is there', async (t) => {
    const { links, before } = backend('grace');
    const init = "window.Gatehouse = [['init', { getToken: () => mint(), label: 'Help' }]]";
    const prepare = async (page: Page) => {
      await before(page);
      await page.addInitScript(init);
    };
    const visited = await visitHost(t, shop(), pageWith(''), { before: prepare });
    const { button, chat } = visited;
    await button.click();
    await chat.getByRole('textbox').waitFor();
    assert.equal(await button.getAttribute('aria-label'), 'Close chat');
    assert.equal(links.length, 1);
  });

  test('tells a person that the link is over when it can give no other', async (t) => {
    const link = await shop().newLink();
    const { page, button, chat } = await visitHost(
      t,
      shop(),
      pageWith(`data-token="${link.token}" data-get-token="mint"`),
      { before: (page) => page.addInitScript('window.mint = async () => { throw new Error(1) }') },
    );
    await button.click();
    await chat.getByRole('textbox').waitFor();
    await page.evaluate(
      "window.heard = []; Gatehouse.on('error', ({ reason }) => heard.push(reason))",
    );
    await shop().revoke(link);
    await ask(chat, 'Is that so?');
    await chat.getByRole('heading', { name: 'This link was withdrawn' }).waitFor();
    assert.equal(await page.evaluate('heard[0]'), 'no-token');
  });

  test('says so where it has no first link to give, and tries again', async (t) => {
    const { links, before } = backend('hopper');
    const prepare = async (page: Page) => {
      await before(page);
      await page.addInitScript(
        'window.tries = 0; window.first = () => { tries += 1; return tries === 1 ? null : mint(); }',
      );
    };
    const url = pageWith('data-get-token="first"');
    const { page, button, chat } = await visitHost(t, shop(), url, { before: prepare });
    await button.click();
    await page.getByRole('alert').getByText('Chat unavailable').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await chat.getByRole('textbox').waitFor();
    assert.equal(links.length, 1);
  });
});
