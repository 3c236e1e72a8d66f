import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, skip } from '../../support/browser/browser.ts';
import { openConsole, signInToConsole } from '../../support/browser/console.ts';
import { addDocument } from '../../support/knowledge/knowledge.ts';
import { makeSpace, signIn } from '../../support/provision.ts';
import { serviceOfThisFile } from '../../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('unsaved edits in the console', { skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  async function shop(name: string) {
    const { id } = await makeSpace(client, admin, { name });
    return { id, path: `${service.url}/console/spaces/${id}` };
  }

  test('a form says "Saved" until the next edit', async (t) => {
    const { id, path } = await shop('Edited');
    const document = await addDocument(client, admin, id, { fileName: 'a.txt', text: 'A text.' });
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    const saved = page.getByText('Saved', { exact: true });
    const save = page.getByRole('button', { name: 'Save', exact: true }).first();
    const name = page.getByLabel('Name').first();
    await name.fill('Renamed');
    await save.click();
    await saved.waitFor();
    await name.fill('Renamed again');
    await saved.waitFor({ state: 'detached' });
    await save.click();
    await saved.waitFor();
    await page.getByLabel('Report conversations as events').click();
    await saved.waitFor({ state: 'detached' });
    const card = page.getByRole('region', { name: 'Filter of the space' });
    const required = card.getByLabel('Every new link needs a permission filter');
    await required.check();
    await card.getByRole('button', { name: 'Save the filter' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save the filter' }).click();
    await card.getByText('Saved', { exact: true }).waitFor();
    await required.uncheck();
    await card.getByText('Saved', { exact: true }).waitFor({ state: 'detached' });
    await page.goto(`${path}/documents/${document.id}`);
    await page.getByLabel('Title').fill('');
    await save.click();
    const applied = page.getByText('Saved. The change applies to all links immediately.');
    await applied.waitFor();
    assert.equal(await page.getByLabel('Title').inputValue(), 'a.txt');
    await page.getByRole('button', { name: 'Add a field' }).click();
    await applied.waitFor({ state: 'detached' });
    assertClean();
  });

  test('what the user types while a form is being saved is not shown as saved', async (t) => {
    const { id, path } = await shop('Slow');
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    const isHeld = Promise.withResolvers<void>();
    await page.route(`**/spaces/${id}`, async (route) => {
      await isHeld.promise;
      await route.continue();
    });
    const name = page.getByLabel('Name').first();
    await name.fill('First');
    const answered = page.waitForResponse((response) => response.request().method() === 'GET');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await name.fill('Second');
    isHeld.resolve();
    await answered;
    await page.getByRole('banner').getByText('First').waitFor();
    assert.equal(await page.getByText('Saved', { exact: true }).count(), 0);
    await name.fill('First');
    await page.getByText('Saved', { exact: true }).waitFor();
    assertClean();
  });
});
