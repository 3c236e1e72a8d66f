import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { codeAt } from '../support/identity/authenticator.ts';
import { makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const PASSWORD = 'a long first password';
const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}\u202Egnp.exe`;
const WIDTHS = [1280, 1024, 390];

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('the second factor in the console', { skip }, () => {
  const browser = browserOfThisFile();

  /** Creates a user and opens the page of the account. */
  async function openAccount(t: Parameters<typeof openConsole>[0], name: string) {
    const user = await makeUser(client, admin, name, PASSWORD);
    const visited = await openConsole(t, browser, `${service.url}/console/account`);
    await signInToConsole(visited.page, { email: user.email, password: PASSWORD });
    await visited.page.getByRole('heading', { name: 'Your account' }).waitFor();
    return { ...visited, user };
  }

  const textOf = (page: Page, name: string) =>
    page.getByRole('region', { name }).locator('code').innerText();

  /** Sets up the app and returns the recovery codes. */
  async function setUp(page: Page): Promise<string[]> {
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const secret = (await textOf(page, 'Key')).replaceAll(' ', '');
    const uri = await page
      .getByRole('link', { name: 'Open in an authenticator app' })
      .getAttribute('href');
    assert.equal(new URL(uri ?? '').searchParams.get('secret'), secret);
    await assertAccessible(page);
    await page.getByLabel('Code').fill(codeAt(secret, Date.now()));
    await page.getByRole('button', { name: 'Turn on' }).click();
    const codes = (await textOf(page, 'Recovery codes')).trim().split('\n');
    assert.equal(codes.length, 10);
    return codes;
  }

  async function enterPassword(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Enter a code' }).waitFor();
  }

  test('is set up with an app, asked for at the next sign-in, and disabled with the password and a code', async (t) => {
    const { page, user, assertClean } = await openAccount(t, 'app');
    const [recovery = '', another = ''] = await setUp(page);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'I have stored the codes' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();

    await enterPassword(page, user.email);
    await assertAccessible(page);
    assert.equal(await page.evaluate('document.activeElement.autocomplete'), 'one-time-code');
    await page.getByLabel('Code').fill('aaaa-bbbb-cccc-dddd');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('This code is wrong').waitFor();
    await page.getByLabel('Code').fill(recovery);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('9 recovery codes are left.').waitFor();

    await page.getByRole('button', { name: 'Disable the second factor' }).click();
    const dialog = page.getByRole('dialog');
    await assertAccessible(page);
    await dialog.getByLabel('Password', { exact: true }).fill('a wrong password');
    await dialog.getByLabel('Code').fill(recovery);
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByRole('alert').getByText('The current password is wrong.').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByRole('alert').getByText('This code is wrong').waitFor();
    await dialog.getByLabel('Code').fill(another);
    await dialog.getByLabel('Code').press('Enter');
    await page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
    assert.ok(await signIn(client, { email: user.email, password: PASSWORD }));
    assertClean();
  });

  test('is asked for after a reset link, and the first step can start again', async (t) => {
    const { page, user } = await openAccount(t, 'forgets');
    const [recovery = ''] = await setUp(page);
    const { json } = await client(`/users/${user.id}/reset-link`, { method: 'POST', as: admin });
    const reset = await openConsole(t, browser, String(json['url']));
    await reset.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await reset.page.getByRole('button', { name: 'Save and sign in' }).click();
    await reset.page.getByRole('heading', { name: 'Enter a code' }).waitFor();
    await reset.page.getByRole('button', { name: 'Start again' }).click();
    await enterPassword(reset.page, user.email);
    await reset.page.getByLabel('Code').fill(recovery);
    await reset.page.getByRole('button', { name: 'Sign in' }).click();
    await reset.page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  test('the page fits every width, and a hostile name is text', async (t) => {
    const { page, user, assertClean } = await openAccount(t, 'hostile');
    await client(`/users/${user.id}`, { method: 'PATCH', as: admin, body: { name: HOSTILE } });
    await page.reload();
    const link = page.getByRole('link', { name: 'Your account:' });
    assert.ok((await link.innerText()).includes('<img src=x'));
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByRole('region', { name: 'Key' }).waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const scrolls = 'document.documentElement.scrollWidth > innerWidth';
      assert.equal(await page.evaluate(scrolls), false, String(width));
    }
    await link.click();
    assertClean();
  });
});
