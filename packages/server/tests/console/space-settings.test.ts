import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import {
  assertAccessible,
  openConsole,
  signInToConsole,
  untilLoaded,
} from '../support/browser/console.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { giveRole, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'a password for tests';
const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egnp.exe`;

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('the settings of a space in the console', { skip }, () => {
  const browser = browserOfThisFile();

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
    const card = page.getByRole('region', { name: 'Filter of the space' });
    await card.getByText('Saved', { exact: true }).waitFor();
    const { json } = await client(`/spaces/${id}`, { as: admin });
    assert.equal(json['name'], 'New name');
    assert.deepEqual(json['permissionFilter'], { audience: { eq: 'staff' } });
    assert.equal(json['requireLinkFilter'], true);
    assertClean();
  });

  test('saving keeps the settings that somebody else has changed since the page was opened', async (t) => {
    const { id, botId, path } = await shop('Two owners');
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    const card = page.locator('details.card').first();
    await card.locator('summary').click();
    await card.getByLabel('Greeting').fill('Hello');
    const change = (target: string, body: object) =>
      client(target, { method: 'PATCH', as: admin, body });
    const permissionFilter = { audience: { eq: 'staff' } };
    await change(`/spaces/${id}`, { conversationAccess: 'nobody', permissionFilter });
    await change(`/bots/${botId}`, { systemPrompt: 'Be brief.' });
    await page.getByLabel('Name').first().fill('Renamed');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.getByRole('banner').getByText('Renamed').waitFor();
    await page.getByLabel('Every new link needs a permission filter').check();
    await page.getByRole('button', { name: 'Save the filter' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save the filter' }).click();
    await dialog.waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Saved').waitFor();
    const { json: space } = await client(`/spaces/${id}`, { as: admin });
    assert.equal(space['name'], 'Renamed');
    assert.equal(space['conversationAccess'], 'nobody');
    assert.equal(space['requireLinkFilter'], true);
    assert.deepEqual(space['permissionFilter'], permissionFilter);
    const { json: bot } = await client(`/bots/${botId}`, { as: admin });
    assert.equal(bot['greeting'], 'Hello');
    assert.equal(bot['systemPrompt'], 'Be brief.');
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
    assert.equal(await cards.last().getByLabel('Name').inputValue(), '');
    await assertAccessible(page);
    const bot = await client(`/bots/${botId}`, { as: admin });
    assert.equal(bot.json['greeting'], 'Hello from the test');
    assert.deepEqual(bot.json['suggestions'], ['One?', 'Two?']);
    const bots = await client(`/spaces/${id}/bots`, { as: admin });
    assert.equal((bots.json['items'] as unknown[]).length, 2);
    assertClean();
  });

  test('an owner creates a tool, changes it, replaces its secret and deletes it', async (t) => {
    const { botId, path } = await shop('Tools');
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    await page.locator('details.card > summary').first().click();
    const tools = page.getByRole('region', { name: 'Tools of Tools' });
    await tools.getByText('New tool').click();
    const form = tools.locator('details.card').last();
    await form.getByLabel('Name', { exact: true }).fill('cancel_order');
    await form.getByLabel('Description').fill('Cancels an order.');
    await form.getByLabel('URL').fill('https://shop.example/tools/cancel-order');
    await form.getByLabel('Arguments').fill('[');
    await form.getByText('This is not a JSON object.').waitFor();
    const create = form.getByRole('button', { name: 'Create' });
    assert.equal(await create.isDisabled(), true);
    await form.getByLabel('Arguments').fill('{"type":"object","properties":{}}');
    await create.click();
    const shown = tools.getByRole('region', { name: 'The new secret' });
    const first = await shown.innerText();
    assert.match(first, /^whsec_/);
    await tools.getByText('cancel_order', { exact: true }).first().click();
    const card = tools.locator('details.card').first();
    await card.getByLabel('The person must allow each call').uncheck();
    await card.getByRole('button', { name: 'Save' }).click();
    await tools.getByText('never asks').waitFor();
    await card.getByRole('button', { name: 'New secret cancel_order' }).click();
    while ((await shown.innerText()) === first) await page.waitForTimeout(20);
    await assertAccessible(page);
    const stored = async () => {
      const { json } = await client(`/bots/${botId}/tools`, { as: admin });
      return json['items'] as Record<string, unknown>[];
    };
    const [tool] = await stored();
    assert.equal(tool?.['consent'], false);
    assert.deepEqual(tool?.['inputSchema'], { type: 'object', properties: {} });
    await card.getByRole('button', { name: 'Delete cancel_order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await tools.getByText('cancel_order').first().waitFor({ state: 'detached' });
    assert.deepEqual(await stored(), []);
    assertClean();
  });

  test('an owner sets a budget and the retention, and deletes the space after typing its name', async (t) => {
    const { id, path } = await shop('Doomed');
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    await page.getByLabel('Tokens per day').fill('many');
    await page.getByRole('button', { name: 'Save the budget' }).click();
    await page.getByText(/^Tokens per day: must be /).waitFor();
    await page.getByLabel('Tokens per day').fill('500000');
    await page.getByRole('button', { name: 'Save the budget' }).click();
    await page.getByText('Saved').waitFor();
    await page.getByLabel('Maximum age in days').fill('30');
    await page.getByRole('button', { name: 'Save the retention' }).click();
    await page.getByText('Saved').nth(1).waitFor();
    const { json } = await client(`/spaces/${id}`, { as: admin });
    assert.deepEqual(json['budget'], { tokensPerDay: 500_000 });
    assert.deepEqual(json['eventRetention'], { maxAgeDays: 30, maxBytes: null });
    await page.goto(`${path}/links/new`);
    await page.getByText('Budget for models').click();
    await page.getByLabel('Tokens per month').fill('9000');
    await page.getByText('"tokensPerMonth": 9000').first().waitFor();
    await assertAccessible(page);
    await page.goto(`${path}/settings`);
    await page.getByRole('button', { name: 'Delete the space' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete the space Doomed?' });
    const confirm = dialog.getByRole('button', { name: 'Delete the space' });
    assert.match(await dialog.innerText(), /Every link and every widget session ends/);
    await dialog.getByLabel('Enter the name').fill('doomed');
    assert.equal(await confirm.isDisabled(), true);
    await dialog.getByLabel('Enter the name').fill('Doomed');
    await assertAccessible(page);
    await confirm.click();
    await page.getByRole('heading', { name: 'Spaces', level: 1 }).waitFor();
    assert.equal((await client(`/spaces/${id}`, { as: admin })).status, 403);
    assertClean();
  });

  test('every page of an empty space has no accessibility violation in either theme', async (t) => {
    const { path } = await shop('Empty');
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const links = page.getByRole('navigation').getByRole('link');
    await links.nth(10).waitFor();
    const paths = await links.evaluateAll((all: { href: string }[]) => all.map(({ href }) => href));
    const more = ['links/new', 'projections/new', 'events/rejected', 'events/live', 'events/rates'];
    const others = ['documents/search', 'conversations/questions'];
    for (const url of [...paths, ...[...more, ...others].map((part) => `${path}/${part}`)]) {
      await page.goto(url);
      await untilLoaded(page);
      await assertAccessible(page);
    }
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
    const revoked = page.getByRole('cell', { name: 'revoked' });
    await revoked.first().waitFor();
    // The list shows the state at the time of its request.
    await until('both links of the preview are revoked', async () => {
      await page.reload();
      await revoked.first().waitFor();
      return (await revoked.count()) === 2;
    });
    assert.equal(await page.getByRole('cell', { name: 'active' }).count(), 0);
    assertClean();
  });

  test('hostile names are shown as text, and the pages fit a phone', async (t) => {
    const { id, botId } = await makeSpace(client, admin, { name: HOSTILE });
    await client(`/bots/${botId}`, { method: 'PATCH', as: admin, body: { name: HOSTILE } });
    const tool = { title: HOSTILE, description: `${HOSTILE}${'x'.repeat(800)}` };
    const target = { url: 'https://shop.example/tool', inputSchema: { type: 'object' } };
    const made = await client(`/bots/${botId}/tools`, {
      as: admin,
      body: { ...tool, ...target, name: `t${'x'.repeat(63)}` },
    });
    assert.equal(made.status, 201, made.text);
    const crawl = await client(`/spaces/${id}/crawls`, {
      as: admin,
      body: {
        name: HOSTILE,
        startUrl: `https://shop.example/${'x'.repeat(800)}`,
        include: [`/${HOSTILE.replace('\u202E', '')}`],
        defaultMetadata: { note: HOSTILE },
      },
    });
    assert.equal(crawl.status, 201, crawl.text);
    const root = `${service.url}/console/spaces/${id}`;
    const viewport = { width: 390, height: 800 };
    const { page, assertClean } = await openConsole(t, browser, root, { viewport });
    page.on('dialog', () => assert.fail('a script ran'));
    await signInToConsole(page);
    for (const part of ['/settings', '/widget', '/crawls', `/crawls/${crawl.json['id']}`]) {
      await page.goto(root + part);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const cards = page.locator('details.card > summary');
      if (part === '/settings' || part.length > 10) await cards.first().click();
      if (part === '/settings') await page.locator('.card .card > summary').first().click();
      assert.equal(await page.locator('img, script:not([src])').count(), 0, part);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, part);
    }
    assertClean();
  });
});
