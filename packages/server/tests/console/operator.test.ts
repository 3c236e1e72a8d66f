import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { makeEvent, postEvents } from '../support/events/events.ts';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { webhookHeaders } from '../support/events/signing.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile({ env: ALLOW_RECEIVERS });
const admin = await signIn(client);

describe('an operator in the console', { skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  async function shop(name: string) {
    const space = await makeSpace(client, admin, { name });
    return { ...space, path: `${service.url}/console/spaces/${space.id}` };
  }

  /** Returns the secret that the page shows. */
  async function shownSecret(page: Page): Promise<string> {
    return page.getByRole('region', { name: 'The new secret' }).innerText();
  }

  test('registers an event source, rotates its secret and deletes it', async (t) => {
    const { path } = await shop('Sources');
    const { page, assertClean } = await openConsole(t, browser, `${path}/sources`);
    await signInToConsole(page);
    await page.getByText('Register the first one below').waitFor();
    await page.getByLabel('Name').fill('shop backend');
    await page.getByLabel('Source', { exact: true }).fill('urn:test:shop');
    await page.getByRole('button', { name: 'Create' }).click();
    const first = await shownSecret(page);
    await page.getByRole('row', { name: /shop backend.*urn:test:shop.*only signed/ }).waitFor();
    await assertAccessible(page);
    const send = async (secret: string) => {
      const body = JSON.stringify({ events: [makeEvent()] });
      const headers = { 'content-type': 'application/json', ...webhookHeaders(body, secret) };
      return (await postEvents(client, { body, headers })).status;
    };
    assert.equal(await send(first), 200);
    await page.reload();
    await page.getByRole('button', { name: 'Rotate secret shop backend' }).click();
    await page.getByLabel('The old secret stays valid').selectOption('not at all');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create a new secret' }).click();
    const second = await shownSecret(page);
    assert.deepEqual([await send(first), await send(second)], [401, 200]);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Delete shop backend' }).click();
    assert.ok(!(await page.content()).includes(second));
    const dialog = page.getByRole('dialog');
    assert.match(await dialog.innerText(), /rejects its signed events/);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Register the first one below').waitFor();
    assert.equal(await send(second), 401);
    assertClean();
  });
});
