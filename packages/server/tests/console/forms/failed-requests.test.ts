import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../../support/browser/console.ts';
import { makeKey, makeSpace, signIn } from '../../support/provision.ts';
import { serviceOfThisFile } from '../../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('failed requests in the console', { skip }, () => {
  const browser = browserOfThisFile();

  test('the overview, the account and the state of the installation say that a request failed', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Failing' });
    const { page } = await openConsole(t, browser, service.url);
    await signInToConsole(page);
    const json = { message: 'Something went wrong.', code: 'http.internal-error' };
    for (const [path, request, shown] of [
      [`/spaces/${id}`, `/spaces/${id}/api-keys`, page.getByText('done')],
      ['/account', '/auth/methods', page.getByLabel('Current password')],
      ['/installation', '/readyz', page.getByText('serves requests')],
    ] as const) {
      await makeKey(client, admin, id);
      await page.route(
        ({ pathname }) => pathname === request,
        (route) => route.fulfill({ status: 500, json }),
      );
      await page.goto(`${service.url}/console${path}`);
      await page.getByRole('alert').getByText('Something went wrong.').waitFor();
      await assertAccessible(page);
      assert.equal(await page.getByText('not ready').count(), 0);
      await page.unrouteAll();
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
      await shown.waitFor();
      assert.equal(await page.getByRole('alert').count(), 0);
    }
  });

  test('a dialog stays until its action ends, so a failure is shown', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Slow dialogs' });
    await makeKey(client, admin, id);
    await client(`/spaces/${id}/event-sources`, {
      as: admin,
      body: { name: 'shop', source: 'https://shop.example/slow-dialogs' },
    });
    const { page } = await openConsole(t, browser, service.url);
    await signInToConsole(page);
    const dialog = page.getByRole('dialog');
    for (const [path, open, act, request] of [
      ['keys', 'Revoke', 'Revoke', '**/api-keys/*'],
      ['sources', 'Change shop', 'Save', '**/event-sources/*'],
    ] as const) {
      await page.goto(`${service.url}/console/spaces/${id}/${path}`);
      const isHeld = Promise.withResolvers<void>();
      await page.route(request, async (route) => {
        await isHeld.promise;
        await route.fulfill({ status: 403, json: { message: 'No.', code: 'access.forbidden' } });
      });
      await page.getByRole('button', { name: open }).click();
      if (act === 'Save') await dialog.getByLabel('Name').fill('renamed');
      await dialog.getByRole('button', { name: act }).click();
      for (let press = 0; press < 3; press++) await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
      isHeld.resolve();
      await dialog.getByText('No.').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.unrouteAll();
    }
  });

  test('a download after the end of the session asks for the sign-in', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Downloads' });
    const path = `${service.url}/console/spaces/${id}/audit`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const download = page.getByRole('link', { name: 'Export as CSV' });
    await download.waitFor();
    await page.context().clearCookies();
    await download.click();
    await page.getByText('Your session has ended.').waitFor();
    await signInToConsole(page);
    const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
    assert.equal(await file.failure(), null);
    assertClean();
  });

  test('a list no longer shows what another person has deleted, after a dialog reported it', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Shared list' });
    const keys = `/spaces/${id}/api-keys`;
    const { json } = await client(keys, { as: admin, body: { name: 'x', scopes: ['read'] } });
    const { page, assertClean } = await openConsole(
      t,
      browser,
      `${service.url}/console/spaces/${id}/keys`,
    );
    await signInToConsole(page);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await client(`${keys}/${json['id']}`, { method: 'DELETE', as: admin });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Your backend sends an API key with each request.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Revoke' }).count(), 0);
    assertClean();
  });
});
