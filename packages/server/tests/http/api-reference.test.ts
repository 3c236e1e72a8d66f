import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '@gatehouse/contract';
import type { Browser, Page } from 'playwright-core';
import { barriers } from '../support/barriers.ts';
import { openBrowser, skip, visit } from '../support/browser.ts';
import { serviceOfThisFile } from '../support/file-service.ts';
import { signIn } from '../support/provision.ts';
import { ADMIN } from '../support/service.ts';

const { service, client } = await serviceOfThisFile();
const DESKTOP = { viewport: { width: 1280, height: 900 } };

/**
 * Rules of axe that Scalar's form for requests breaks in its own markup: the editor of key and value pairs, an info
 * button and the view of an answer. The page itself breaks none.
 */
const BROKEN_BY_SCALAR = [
  'aria-input-field-name',
  'aria-prohibited-attr',
  'aria-required-attr',
  'aria-valid-attr-value',
];

describe('a person who reads the API reference', { skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  for (const colorScheme of ['light', 'dark'] as const)
    test(`meets no barrier, ${colorScheme}`, async (t) => {
      const { page, problems, requests } = await visit(t, browser, { ...DESKTOP, colorScheme });
      await openReference(page);
      await page.getByRole('heading', { name: 'Create an assistant access link' }).waitFor();
      assert.deepEqual(await barriers(page), []);
      assert.deepEqual(problems, []);
      assertOwn(requests);
    });

  test('sees every operation in the table of contents', async (t) => {
    const { page, problems } = await visit(t, browser, DESKTOP);
    await openReference(page);
    const contents = page.getByRole('complementary', { name: 'Sidebar' });
    const closed = contents.getByRole('button', { name: /^Open Group/ });
    while ((await closed.count()) > 0) await closed.first().click();
    const links = await contents
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const shown = new Set(links.map((link) => link.split('/').at(-1)));
    assert.deepEqual(
      operations.map(({ id }) => id).filter((id) => !shown.has(id)),
      [],
    );
    assert.deepEqual(problems, []);
  });

  test('finds an operation by a word', async (t) => {
    const { page, problems, requests } = await visit(t, browser, DESKTOP);
    await openReference(page);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.keyboard.type('revoke a link');
    await page.getByRole('option', { name: 'Revoke a link' }).click();
    await page.waitForURL(/revokeLink$/);
    await page.getByRole('heading', { name: 'Revoke a link' }).waitFor();
    assert.deepEqual(problems, []);
    assertOwn(requests);
  });

  test('sends a request with a session to the service and sees its answer', async (t) => {
    const { page, problems, requests } = await visit(t, browser, DESKTOP);
    await openReference(page, '#tag/keys-sessions-and-users/showSession');
    await page.getByRole('button', { name: /Test Request.*\/auth\/session/ }).click();
    const form = page.getByRole('dialog', { name: 'API Client' });
    await form.getByRole('textbox', { name: 'Bearer Token' }).fill(await signIn(client));
    await form.getByRole('button', { name: /^Send get request/ }).click();
    await form.getByRole('link', { name: '200 OK' }).waitFor();
    await form.getByText(ADMIN.email).waitFor();
    assert.ok(requests.includes(`${service.url}/auth/session`));
    const unknown = (await barriers(page)).filter(
      (barrier) => !BROKEN_BY_SCALAR.includes((barrier as { id: string }).id),
    );
    assert.deepEqual(unknown, []);
    assert.deepEqual(problems, []);
    assertOwn(requests);
  });

  test('sends requests to the host that the page was opened at, whatever the configured address', async (t) => {
    const { page, problems, requests } = await visit(t, browser, DESKTOP);
    const elsewhere = service.url.replace('127.0.0.1', 'localhost');
    await openReference(page, '#tag/service/health', elsewhere);
    await page.getByRole('button', { name: /Test Request.*\/healthz/ }).click();
    const form = page.getByRole('dialog', { name: 'API Client' });
    await form.getByRole('button', { name: /^Send get request/ }).click();
    await form.getByRole('link', { name: '200 OK' }).waitFor();
    assert.ok(requests.includes(`${elsewhere}/healthz`));
    assert.deepEqual(problems, []);
  });
});

async function openReference(page: Page, fragment = '', base = service.url): Promise<void> {
  page.setDefaultTimeout(60_000);
  await page.goto(`${base}/docs${fragment}`);
  await page.getByRole('main').waitFor();
}

/** Blobs are downloads that the page makes of answers. */
function assertOwn(requests: readonly string[]): void {
  for (const url of requests) assert.match(url, new RegExp(`^(blob:)?${service.url}/`));
}
