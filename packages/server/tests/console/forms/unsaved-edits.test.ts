import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../../support/browser/console.ts';
import { addDocument } from '../../support/knowledge/knowledge.ts';
import { makeSpace, signIn } from '../../support/provision.ts';
import { serviceOfThisFile } from '../../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('unsaved edits in the console', { skip }, () => {
  const browser = browserOfThisFile();

  async function shop(name: string) {
    const { id, botId } = await makeSpace(client, admin, { name });
    return { id, botId, path: `${service.url}/console/spaces/${id}` };
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

  test('the console asks before another page, the previous page or signing out replaces unsaved edits', async (t) => {
    const { path } = await shop('Leaving');
    const { page, assertClean } = await openConsole(t, browser, `${path}/usage`);
    await signInToConsole(page);
    await page.getByRole('link', { name: 'Settings' }).click();
    const name = page.getByLabel('Name').first();
    await name.fill('Unsaved');
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    const stay = question.getByRole('button', { name: 'Stay on this page' });
    const audit = page.getByRole('link', { name: 'Audit' });
    await audit.click();
    await question.waitFor();
    await assertAccessible(page);
    await stay.click();
    assert.equal(await audit.evaluate((link) => link.matches(':focus')), true);
    await page.goBack();
    await stay.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await stay.click();
    assert.equal(await name.inputValue(), 'Unsaved');
    assert.equal(page.url(), `${path}/settings`);
    await page.goBack();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await question.waitFor({ state: 'detached' });
    await page.goForward();
    await name.fill('Unsaved again');
    await audit.click();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
    assert.equal(page.url(), `${path}/audit`);
    assertClean();
  });

  test('the settings show what somebody else has changed since the console was opened', async (t) => {
    const { id, path } = await shop('Before');
    const { page, assertClean } = await openConsole(t, browser, `${path}/usage`);
    await signInToConsole(page);
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await client(`/spaces/${id}`, { method: 'PATCH', as: admin, body: { name: 'After' } });
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).first().waitFor();
    assert.equal(await page.getByLabel('Name').first().inputValue(), 'After');
    await page.getByRole('banner').getByText('After').waitFor();
    assertClean();
  });

  test('saving limits and origins keeps those that somebody else has saved meanwhile', async (t) => {
    const { id, path } = await shop('Limits');
    const change = (body: object) => client(`/spaces/${id}`, { method: 'PATCH', as: admin, body });
    await change({ allowedOrigins: ['https://old.example'] });
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    await page.getByLabel('Tokens per month').fill('5000');
    await page.getByLabel('Maximum size in MB').fill('500');
    await change({ budget: { tokensPerDay: 1000 }, eventRetention: { maxAgeDays: 30 } });
    await page.getByRole('button', { name: 'Save the budget' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save the retention' }).click();
    await page.getByText('Saved', { exact: true }).nth(1).waitFor();
    assert.equal(await page.getByLabel('Tokens per day').inputValue(), '1000');
    await page.getByRole('link', { name: 'Widget' }).click();
    await page.getByLabel('Origins').fill('https://new.example');
    await change({ allowedOrigins: ['https://old.example', 'https://other.example'] });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { json } = await client(`/spaces/${id}`, { as: admin });
    assert.deepEqual(json['budget'], { tokensPerDay: 1000, tokensPerMonth: 5000 });
    assert.deepEqual(json['eventRetention'], { maxAgeDays: 30, maxBytes: 500_000_000 });
    assert.deepEqual(json['allowedOrigins'], ['https://other.example', 'https://new.example']);
    assertClean();
  });

  test('the form of a new tool keeps its text while another tool is deleted', async (t) => {
    const { botId, path } = await shop('Two tools');
    const tool = {
      name: 'old_tool',
      description: 'Does nothing.',
      inputSchema: { type: 'object' },
    };
    await client(`/bots/${botId}/tools`, { as: admin, body: tool });
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    await page.locator('details.card > summary').first().click();
    const tools = page.getByRole('region', { name: 'Tools of Two tools' });
    await tools.getByText('New tool').click();
    const description = tools.locator('details.card').last().getByLabel('Description');
    await description.fill('Cancels an order.');
    await tools.getByText('old_tool', { exact: true }).first().click();
    await tools.getByRole('button', { name: 'Delete old_tool' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await tools.getByText('old_tool', { exact: true }).first().waitFor({ state: 'detached' });
    assert.equal(await description.inputValue(), 'Cancels an order.');
    assertClean();
  });

  test('nothing is asked if nothing was changed, after saving, and in filters', async (t) => {
    const { path } = await shop('Unchanged');
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    const name = page.getByLabel('Name').first();
    const links = page.getByRole('link', { name: 'Links', exact: true });
    const settings = page.getByRole('link', { name: 'Settings' });
    await name.fill('Changed');
    await name.fill('Unchanged');
    await links.click();
    await page.getByLabel('Person (sub)').fill('ada');
    await settings.click();
    await name.fill('Saved');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.getByText('Saved', { exact: true }).last().waitFor();
    await links.click();
    await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByLabel('Name').fill('backend');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Store this key now.').waitFor();
    await links.click();
    await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor();
    assertClean();
  });

  test('the browser asks before a tab with unsaved edits is reloaded', async (t) => {
    const { path } = await shop('Reloaded');
    const { page } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    await page.getByLabel('Name').first().fill('Unsaved');
    const asked = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.reload())');
    const dialog = await asked;
    assert.equal(dialog.type(), 'beforeunload');
    await dialog.dismiss();
    assert.equal(await page.getByLabel('Name').first().inputValue(), 'Unsaved');
  });

  test('the changed definition of a projection stays while its form is closed', async (t) => {
    const { id, path } = await shop('Closed');
    const { json } = await client(`/spaces/${id}/projections`, {
      as: admin,
      body: {
        name: 'Order',
        types: ['example.order.*'],
        key: 'subject',
        title: 'Order {key}',
        text: 'Order {key}.',
        fields: {},
        metadata: {},
      },
    });
    const { page, assertClean } = await openConsole(
      t,
      browser,
      `${path}/projections/${json['id']}`,
    );
    await signInToConsole(page);
    const change = page.getByText('Change the definition');
    await change.click();
    await page.getByLabel('Name', { exact: true }).fill('Purchase');
    await change.click();
    await change.click();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Purchase');
    await page.getByRole('link', { name: 'Projections' }).first().click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    assertClean();
  });

  test('edits stay while the service cannot load the data of the page again, and the console says so', async (t) => {
    const { id, path } = await shop('Overloaded');
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    const card = page.locator('details.card').first();
    await card.locator('summary').first().click();
    await page.getByLabel('Name').first().fill('Unsaved');
    const bots = `**/spaces/${id}/bots?**`;
    await page.route(bots, (route) =>
      route.fulfill({ status: 503, json: { code: 'http.unavailable', message: 'Overloaded.' } }),
    );
    await card.getByLabel('Greeting').fill('Hello');
    await card.getByRole('button', { name: 'Save' }).click();
    const note = page.getByText('The page may be out of date.');
    await note.waitFor();
    await assertAccessible(page);
    assert.equal(await page.getByLabel('Name').first().inputValue(), 'Unsaved');
    await page.unroute(bots);
    await card.getByLabel('Greeting').fill('Hello again');
    await card.getByRole('button', { name: 'Save' }).click();
    await note.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').first().inputValue(), 'Unsaved');
    assertClean();
  });

  test('an action that ends late does not take the user away from another form', async (t) => {
    const { id, path } = await shop('Late');
    const document = await addDocument(client, admin, id, { fileName: 'a.txt', text: 'Old.' });
    const { page, assertClean } = await openConsole(t, browser, `${path}/documents/${document.id}`);
    await signInToConsole(page);
    const isHeld = Promise.withResolvers<void>();
    await page.route(`**/spaces/${id}/documents`, async (route) => {
      await isHeld.promise;
      await route.continue();
    });
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.type());
      void dialog.dismiss();
    });
    const file = { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('New.') };
    await page.getByLabel('New file').setInputFiles(file);
    await page.getByText('Replacing…').waitFor();
    const reload = page.evaluate('location.reload()').catch(() => {});
    await page.waitForEvent('dialog');
    await reload;
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByRole('link', { name: 'New link' }).click();
    await page.getByLabel('Person (sub)').fill('ada');
    const isDeleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
    isHeld.resolve();
    await isDeleted;
    // A second navigation would follow immediately.
    await page.waitForTimeout(200);
    assert.equal(await page.getByLabel('Person (sub)').inputValue(), 'ada');
    assert.deepEqual(questions, ['beforeunload']);
    assertClean();
  });
});
