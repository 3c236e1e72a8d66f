import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { barriers } from '../support/barriers.ts';
import { skip } from '../support/browser.ts';
import { type HostVisit, hostOfThisFile, scriptTag, visitHost } from '../support/host-page.ts';
import { shopOfThisFile } from '../support/widget.ts';

/** What a page shows of a chat, and how one gets there from its button. */
const STATES: Readonly<Record<string, (visited: HostVisit) => Promise<unknown>>> = {
  'the button': ({ button }) => button.waitFor(),
  'an open chat': async ({ button, chat }) => {
    await button.click();
    await chat.getByRole('textbox').waitFor();
  },
  'a chat that cannot be shown': async ({ page, button }) => {
    await page.route('**/widget/*', (request) => request.abort());
    await button.click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  },
  'a chat that cannot be loaded': async ({ page, button }) => {
    await page.route('**/embed-chat.js*', (request) => request.abort());
    await button.click();
    await button.getByText('Try again').waitFor();
  },
};

describe('a page keeps nobody out who', { skip }, () => {
  const shop = shopOfThisFile();
  const host = hostOfThisFile(shop);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [state, reach] of Object.entries(STATES))
      test(`meets ${state}, ${colorScheme}`, async (t) => {
        const { token } = await shop().newLink();
        const body = `<main><h1>Lamps</h1>${scriptTag(shop(), `data-token="${token}"`)}</main>`;
        const url = host().add({ body });
        const visited = await visitHost(t, shop(), url, { colorScheme });
        await reach(visited);
        assert.deepEqual(await barriers(visited.page), []);
      });
});
