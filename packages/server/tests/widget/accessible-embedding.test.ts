import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { skip } from '../support/browser/browser.ts';
import {
  type HostVisit,
  hostOfThisFile,
  scriptTag,
  visitHost,
} from '../support/browser/host-page.ts';
import { shopOfThisFile } from '../support/browser/widget.ts';

/** The states of an embedded chat, and the steps that lead to each state. */
const STATES: Readonly<Record<string, (visited: HostVisit) => Promise<unknown>>> = {
  'the button': ({ button }) => button.waitFor(),
  'an open chat': async ({ button, chat }) => {
    await button.click();
    await chat.getByRole('textbox').waitFor();
  },
  'a chat whose frame fails to load': async ({ page, button }) => {
    await page.route('**/widget/*', (request) => request.abort());
    await button.click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  },
  'a chat whose script fails to load': async ({ page, button }) => {
    await page.route('**/embed-chat.js*', (request) => request.abort());
    await button.click();
    await button.getByText('Try again').waitFor();
  },
};

describe('accessibility of an embedded chat', { skip }, () => {
  const shop = shopOfThisFile();
  const host = hostOfThisFile(shop);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [state, reach] of Object.entries(STATES))
      test(`${state} has no accessibility violations in the ${colorScheme} colour scheme`, async (t) => {
        const { token } = await shop().newLink();
        const body = `<main><h1>Lamps</h1>${scriptTag(shop(), `data-token="${token}"`)}</main>`;
        const url = host().add({ body });
        const visited = await visitHost(t, shop(), url, { colorScheme });
        await reach(visited);
        assert.deepEqual(await accessibilityViolations(visited.page), []);
      });
});
