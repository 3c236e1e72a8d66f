import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('the keyboard and the connection in the console', { skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  test('/ focuses the search field, ? shows the help, and Escape closes it', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Keys' });
    const path = `${service.url}/console/spaces/${id}/links`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const search = page.getByLabel('Person (sub)');
    await search.waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard' });
    await help.waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    await page.keyboard.type('a/b?');
    assert.equal(await search.inputValue(), 'a/b?');
    assert.equal(await help.isVisible(), false);
    assertClean();
  });

  test('a lost connection is announced, and the page is loaded again when it is back', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Offline' });
    const path = `${service.url}/console/spaces/${id}/links`;
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByText('A link opens the assistant').waitFor();
    await page.context().setOffline(true);
    await page.getByText('The connection is lost.').waitFor();
    await assertAccessible(page);
    await makeLink(client, admin, { spaceId: id, sub: 'ada' });
    await page.context().setOffline(false);
    await page.getByText('The connection is back.').waitFor();
    await page.getByRole('link', { name: 'ada' }).waitFor();
  });

  test('a request that fails because of the connection is repeated when it is back', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Broken' });
    const root = `${service.url}/console/spaces/${id}`;
    const { page } = await openConsole(t, browser, `${root}/links`);
    await signInToConsole(page);
    await page.getByText('A link opens the assistant').waitFor();
    await page.route(/\/(api-keys|healthz)/, (route) => route.abort());
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('The connection is lost.').waitFor();
    await page.unrouteAll();
    await page.getByText('Your backend sends an API key').waitFor();
  });
});
