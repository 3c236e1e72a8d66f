import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { ADMIN } from '../services/service.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { type ContextSource, visit } from './browser.ts';

export interface ConsoleVisit {
  readonly page: Page;
  /** Checks that the page violated no policy, threw no error and requested nothing from other hosts. */
  readonly assertClean: () => void;
}

const DESKTOP = { viewport: { width: 1280, height: 800 } };

/** Opens a path of the console in a browser without a session. */
export async function openConsole(
  t: TestContext,
  browser: ContextSource,
  url: string,
  options: BrowserContextOptions = {},
): Promise<ConsoleVisit> {
  const { page, problems, requests } = await visit(t, browser, { ...DESKTOP, ...options });
  await page.goto(url);
  const { origin } = new URL(url);
  return {
    page,
    assertClean: () => {
      assert.deepEqual(problems, []);
      assert.deepEqual(
        requests.filter(
          (request) => !request.startsWith(`${origin}/`) && !request.startsWith('data:'),
        ),
        [],
      );
    },
  };
}

/** Signs in with the form of the page. */
export async function signInToConsole(
  page: Page,
  { email, password }: { email: string; password: string } = ADMIN,
): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/**
 * Creates the space "First shop" and an API key in the first steps of an empty installation.
 *
 * @returns the key, and the snippet that sets the address and the key.
 */
export async function createFirstSpace(
  page: Page,
): Promise<{ readonly key: string; readonly setUp: string }> {
  await page.getByLabel('Name').fill('First shop');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'First shop' }).waitFor();
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByText('Store it now').waitFor();
  const setUp = await page.getByRole('region', { name: 'Address and key' }).innerText();
  const [, key = ''] = /GATEHOUSE_KEY=(gh_[\w-]+)/.exec(setUp) ?? [];
  return { key, setUp };
}

/** Waits until each part of the page has loaded its data. Several parts may be loading at the same time. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  // `first()`, because a locator that waits accepts only one match. Waits until nothing matches.
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** Checks the page with axe in the light and the dark theme. */
export async function assertAccessible(page: Page): Promise<void> {
  assert.deepEqual(await violationsInBothThemes(page), [], page.url());
}
