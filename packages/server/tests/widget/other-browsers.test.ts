import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FULL } from '@gatehouse/filter/tests/campaign';
import {
  clickOn,
  ENTER,
  type Engine,
  type EnginePage,
  elementWith,
  untilShown,
  untilTrue,
} from '../support/browser/engines/engine.ts';
import { NO_FIREFOX, openFirefox } from '../support/browser/engines/firefox.ts';
import { NO_WEBKIT, openWebKit } from '../support/browser/engines/webkit.ts';
import { hostOfThisFile, OPEN_SHADOWS, scriptTag } from '../support/browser/host-page.ts';
import { REFUND, shopOfThisFile } from '../support/browser/widget.ts';
import { ADMIN } from '../support/services/service.ts';

const BROWSERS = [
  { name: 'Firefox', missing: NO_FIREFOX, open: openFirefox },
  { name: 'WebKit', missing: NO_WEBKIT, open: openWebKit },
] as const;
const FRAME = "document.querySelector('gatehouse-chat').shadowRoot.querySelector('iframe')";

describe('browsers other than Chromium', { skip: !FULL && 'runs in npm run test:chaos' }, () => {
  const shop = shopOfThisFile();
  const host = hostOfThisFile(shop);

  for (const { name, missing, open } of BROWSERS)
    describe(name, { skip: missing }, () => {
      test('opens a link, shows an answer with its source, and finds the conversation after a reload', async () => {
        await using engine: Engine = await open();
        const { page } = engine;
        const { url } = await shop().newLink();
        await page.open(url);
        await untilShown(page, 'Hello!');
        await ask(page);
        await clickOn(page, elementWith('article li button', 'Returns'));
        await untilShown(page, 'A refund reaches your account within five days.');
        await page.open(url);
        await untilShown(page, 'Welcome back');
        await untilShown(page, 'How long does a refund take?');
        await untilShown(page, 'five days');
      });

      test('opens the chat on a page of another site, and the page does not see the conversation', async () => {
        await using engine: Engine = await open();
        const { page } = engine;
        const { token } = await shop().newLink();
        const script = `<script>${OPEN_SHADOWS}</script>`;
        await page.open(host().add({ body: script + scriptTag(shop(), `data-token="${token}"`) }));
        const button =
          "document.querySelector('gatehouse-chat')?.shadowRoot?.querySelector('[part=button]')";
        await clickOn(page, button);
        await untilTrue(page, `${button} && ${FRAME}`);
        assert.equal(await page.evaluate(`${FRAME}.contentDocument`), null);
        await page.enterFrame(FRAME);
        await untilShown(page, 'Hello!');
        await ask(page);
      });

      test('signs in to the console, and shows a link and the documents', async () => {
        await using engine: Engine = await open();
        const { page } = engine;
        const { service, space } = shop();
        const { id } = await shop().newLink();
        await page.open(`${service.url}/console`);
        await clickOn(page, elementWith('input', 'Email address'));
        await page.type(ADMIN.email);
        await page.click(elementWith('input', 'Password'));
        await page.type(ADMIN.password + ENTER);
        await untilTrue(page, elementWith('button', 'Sign out'));
        assert.equal(await page.evaluate('document.cookie'), '');
        await page.open(`${service.url}/console/spaces/${space.id}/links/${id}`);
        await untilShown(page, 'Payload');
        await page.open(`${service.url}/console/spaces/${space.id}/documents`);
        await untilShown(page, 'margins.md');
      });
    });

  async function ask(page: EnginePage): Promise<void> {
    shop().model.behave(REFUND);
    await clickOn(page, "document.querySelector('textarea')");
    await page.type(`How long does a refund take?${ENTER}`);
    await untilTrue(page, elementWith('article strong', 'five days'));
    await untilTrue(page, elementWith('button', 'Send'));
  }
});
