import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { skip } from '../support/browser/browser.ts';
import {
  hostOfThisFile,
  scriptTag,
  strictPolicy,
  visitHost,
} from '../support/browser/host-page.ts';
import { ask, REFUND, type Shop, shopOfThisFile } from '../support/browser/widget.ts';
import type { MadeLink } from '../support/provision.ts';

/**
 * User interface states in which a link can end. The last step of each state sends a request that the service rejects.
 */
const STATES: Readonly<
  Record<string, (chat: FrameLocator, end: () => Promise<void>, shop: Shop) => Promise<void>>
> = {
  'in the list of conversations': async (chat, end) => {
    await chat.getByRole('button', { name: 'Earlier conversations' }).click();
    await chat.getByRole('button', { name: /^Delete “/ }).click();
    await end();
    await chat.getByRole('button', { name: 'Delete', exact: true }).click();
  },
  'when opening a source': async (chat, end) => {
    await end();
    await chat.locator('.source').click();
  },
  'during an answer': async (chat, end, { model }) => {
    model.behave({ does: 'stall', pieces: ['Parcels of Ada take'] });
    await ask(chat, 'And the parcel of Ada?');
    await chat.getByRole('article').getByText('Parcels of Ada').waitFor();
    await chat.getByRole('textbox', { name: 'Your question' }).fill('What Ada typed');
    await end();
  },
};

describe('a page that provides new links', { skip }, () => {
  const shop = shopOfThisFile();
  const host = hostOfThisFile(shop);

  /** A back end that creates links for one user and records them in `links`. */
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

  test('provides the first link and later links, and the conversation continues', async (t) => {
    const { model, revoke } = shop();
    model.behave(REFUND);
    const { links, before } = backend('ada');
    const visited = await visitHost(t, shop(), pageWith('data-get-token="mint"'), { before });
    const { page, button, chat, requests, problems } = visited;
    await button.click();
    await ask(chat, 'How long does a refund take?', 'five days');
    assert.equal(links.length, 1);
    await revoke(links[0] as MadeLink);
    await ask(chat, 'Is that so?');
    await chat.getByRole('article').nth(3).getByText('five days').waitFor();
    assert.equal(links.length, 2);
    assert.equal(await chat.getByRole('article').count(), 4);
    assert.match(String(model.requests.at(-1)?.text), /How long does a refund take\?/);

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

  test('provides a link while an answer streams, and the user can ask the interrupted question again', async (t) => {
    const { model, revoke } = shop();
    const { links, before } = backend('katherine');
    const { button, chat } = await visitHost(t, shop(), pageWith('data-get-token="mint"'), {
      before,
    });
    await button.click();
    model.behave({ does: 'stall', pieces: ['Refunds take'] });
    await ask(chat, 'How long does a refund take?');
    await chat.getByRole('article').getByText('Refunds take').waitFor();
    await revoke(links[0] as MadeLink);
    await chat.getByRole('alert').getByText('The answer was cut off.').waitFor();
    model.behave(REFUND);
    await chat.getByRole('button', { name: 'Try again' }).click();
    await chat.getByRole('article').getByText('five days').waitFor();
    assert.equal(await chat.getByRole('article').count(), 2);
    assert.equal(links.length, 2);
  });

  test('can set getToken before the script loads', async (t) => {
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

  test('shows that the link has ended if its getToken function fails', async (t) => {
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
    await chat.getByRole('heading', { name: 'This link has been revoked' }).waitFor();
    assert.equal(await page.evaluate('heard[0]'), 'no-token');
  });

  for (const [state, reach] of Object.entries(STATES))
    test(`can provide a link for another user, who sees no data of the previous user: ${state}`, async (t) => {
      const { model, newLink, revoke } = shop();
      model.behave(REFUND);
      const theme = { accent: '#b3005e', radius: 2 };
      const link = await newLink({ sub: `ada ${state}`, widget: { theme } });
      const attributes = `data-token="${link.token}" data-get-token="mint"`;
      const visited = await visitHost(t, shop(), pageWith(attributes), {
        before: (page) =>
          page.exposeFunction('mint', async () => (await newLink({ sub: `grace ${state}` })).token),
      });
      const { button, chat, problems } = visited;
      await button.click();
      await ask(chat, 'How long does a refund take for Ada?', 'five days');
      await chat.getByRole('textbox', { name: 'Your question' }).fill('What Ada typed');
      await reach(chat, () => revoke(link), shop());
      await chat.getByRole('button', { name: 'Where is my parcel?' }).waitFor();
      assert.equal(await chat.getByRole('article').count(), 0);
      assert.equal(await chat.getByRole('dialog').count(), 0);
      assert.equal(await chat.getByRole('textbox').inputValue(), '');
      assert.doesNotMatch(await chat.locator('html').innerHTML(), /\bAda\b|five days|b3005e/);
      model.behave(REFUND);
      await ask(chat, 'How long does a refund take for Grace?', 'five days');
      assert.doesNotMatch(String(model.requests.at(-1)?.text), /Ada/);
      assert.deepEqual(problems, []);
    });

  test('shows an error if it cannot provide the first link, and the user can retry', async (t) => {
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
