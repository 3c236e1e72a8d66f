import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { giveRole, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const PASSWORD = 'a password for tests';
const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egnp.exe`;

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('the settings of a space in the console', { skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  async function shop(name: string) {
    const space = await makeSpace(client, admin, { name });
    return { ...space, path: `${service.url}/console/spaces/${space.id}` };
  }

  test('an owner renames the space, sets its filter after a warning, and requires a filter in links', async (t) => {
    const { id, path } = await shop('Old name');
    const metadata = { audience: 'staff' };
    await addDocument(client, admin, id, { fileName: 'a.txt', text: 'A text.', metadata });
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    await page.getByLabel('Name').first().fill('New name');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.getByRole('banner').getByText('New name').waitFor();
    await page.getByText('Fields of the documents').click();
    await page.getByRole('button', { name: 'staff' }).click();
    await page.getByLabel('Every new link needs a permission filter').check();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Save the filter' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the filter of the space?' });
    assert.match(await dialog.innerText(), /Links lose access to hidden documents/);
    assert.match(await dialog.innerText(), /create a link without a filter fail/);
    await dialog.getByRole('button', { name: 'Save the filter' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { json } = await client(`/spaces/${id}`, { as: admin });
    assert.equal(json['name'], 'New name');
    assert.deepEqual(json['permissionFilter'], { audience: { eq: 'staff' } });
    assert.equal(json['requireLinkFilter'], true);
    assertClean();
  });

  test('an owner changes the greeting of an assistant and creates another assistant', async (t) => {
    const { id, botId, path } = await shop('Assistants');
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    const cards = page.locator('details.card');
    await cards.first().locator('summary').click();
    await cards.first().getByLabel('Greeting').fill('Hello from the test');
    await cards.first().getByLabel('Suggested questions').fill('One?\n\nTwo?');
    await cards.first().getByRole('button', { name: 'Save' }).click();
    await page.getByText('New assistant').click();
    await cards.last().getByLabel('Name').fill('Second');
    await cards.last().getByRole('button', { name: 'Create' }).click();
    await page.getByText('Second').first().waitFor();
    await assertAccessible(page);
    const bot = await client(`/bots/${botId}`, { as: admin });
    assert.equal(bot.json['greeting'], 'Hello from the test');
    assert.deepEqual(bot.json['suggestions'], ['One?', 'Two?']);
    const bots = await client(`/spaces/${id}/bots`, { as: admin });
    assert.equal((bots.json['items'] as unknown[]).length, 2);
    assertClean();
  });

  test('an editor cannot change the filter, and a viewer cannot open the settings', async (t) => {
    const { botId, path } = await shop('Roles');
    const openAs = async (role: 'editor' | 'viewer') => {
      const user = await makeUser(client, admin, role, PASSWORD);
      await giveRole(client, admin, botId, user.id, role);
      const { page } = await openConsole(t, browser, `${path}/settings`);
      await signInToConsole(page, { ...user, password: PASSWORD });
      return page;
    };
    const editor = await openAs('editor');
    await editor.getByText('No filter').waitFor();
    assert.equal(await editor.getByRole('button', { name: 'Save the filter' }).count(), 0);
    assert.ok((await editor.getByRole('main').getByRole('button', { name: 'Save' }).count()) > 0);
    const viewer = await openAs('viewer');
    await viewer.getByText('Only editors and owners of the space can use this page.').waitFor();
    assert.equal(await viewer.getByRole('main').getByRole('button').count(), 0);
  });

  test('the preview of the widget shows the chosen appearance, and its link is revoked when the page is left', async (t) => {
    const { id, path } = await shop('Preview');
    const { page, assertClean } = await openConsole(t, browser, `${path}/widget`);
    await signInToConsole(page);
    await page.getByLabel('Title').fill('Ask the shop');
    await page.getByLabel('Greeting').fill('Hello from the preview');
    await page.getByRole('button', { name: 'Show the preview' }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('Hello from the preview').waitFor();
    await page.getByLabel('Title').fill('Ask us');
    await page.getByRole('main').getByLabel('Language').selectOption('Deutsch');
    await page.getByRole('button', { name: 'Update the preview' }).click();
    await frame
      .getByRole('heading', { name: 'Ask us' })
      .or(frame.getByText('Ask us'))
      .first()
      .waitFor();
    await assertAccessible(page);
    const request = await page.getByRole('region', { name: 'Link request' }).innerText();
    assert.equal(JSON.parse(request).widget.locale, 'de');
    assert.match(
      await page.getByRole('region', { name: 'HTML' }).innerText(),
      /embed\.js.*data-lang="de"/,
    );
    await page.getByLabel('Origins').fill('https://shop.example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const space = await client(`/spaces/${id}`, { as: admin });
    assert.deepEqual(space.json['allowedOrigins'], ['https://shop.example']);
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByRole('cell', { name: 'revoked' }).first().waitFor();
    await page.reload();
    await page.getByRole('cell', { name: 'revoked' }).nth(1).waitFor();
    assert.equal(await page.getByRole('cell', { name: 'active' }).count(), 0);
    assertClean();
  });

  test('hostile names are shown as text, and the pages fit a phone', async (t) => {
    const { id, botId } = await makeSpace(client, admin, { name: HOSTILE });
    await client(`/bots/${botId}`, { method: 'PATCH', as: admin, body: { name: HOSTILE } });
    const root = `${service.url}/console/spaces/${id}`;
    const viewport = { width: 390, height: 800 };
    const { page, assertClean } = await openConsole(t, browser, root, { viewport });
    page.on('dialog', () => assert.fail('a script ran'));
    await signInToConsole(page);
    for (const part of ['/settings', '/widget']) {
      await page.goto(root + part);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.locator('img, script:not([src])').count(), 0, part);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, part);
    }
    assertClean();
  });
});
