import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { operations } from '@gatehouse/contract';
import type { Browser, Page } from 'playwright-core';
import {
  accessibilityViolations,
  violationsInBothThemes,
} from '../support/browser/accessibility.ts';
import { openBrowser, skip, type Visit, visit } from '../support/browser/browser.ts';
import { signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { ADMIN } from '../support/services/service.ts';

const { service, client } = await serviceOfThisFile();
const DESKTOP = { viewport: { width: 1280, height: 900 } };

/** Accessibility rules of axe that Scalar's request form violates. The rest of the page violates no rules. */
const VIOLATED_BY_SCALAR = [
  'aria-input-field-name',
  'aria-prohibited-attr',
  'aria-required-attr',
  'aria-valid-attr-value',
];

describe('the API reference', { skip }, () => {
  let browser: Browser;
  /** The reference takes seconds to load, so most tests use the same page, one after another. */
  let visited: Visit;
  const closing: (() => unknown)[] = [];
  before(async () => {
    browser = await openBrowser();
    visited = await visit(
      { after: (close) => closing.push(close as () => unknown) },
      browser,
      DESKTOP,
    );
    await openReference(visited.page);
    await visited.page.getByRole('heading', { name: 'Create an assistant access link' }).waitFor();
  });
  after(async () => {
    for (const close of closing) await close();
    await browser.close();
  });
  afterEach(() => {
    assert.deepEqual(visited.problems, []);
    assertOwn(visited.requests);
  });

  test('is accessible in both colour schemes', async () => {
    assert.deepEqual(await violationsInBothThemes(visited.page), []);
    await visited.page.emulateMedia({ colorScheme: 'light' });
  });

  test('has a table of contents that lists every operation', async () => {
    const contents = visited.page.getByRole('complementary', { name: 'Sidebar' });
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
    // The search of the documentation links to the same anchors.
    const anchors = new Set(links.map((link) => link.replace(/^.*#/, '')));
    const found = await operationsInSearch();
    assert.equal(found.length, operations.length);
    assert.deepEqual(
      found.filter((anchor) => !anchors.has(anchor)),
      [],
    );
  });

  test('has a search that finds tags and schemas', async () => {
    const { page } = visited;
    for (const [words, found] of [
      ['event sources', /^Tag: Event sources/],
      ['PermissionFilter', /^Models: PermissionFilter/],
    ] as const) {
      await page.getByRole('button', { name: 'Search' }).click();
      await page.keyboard.type(words);
      await page.getByRole('option', { name: found }).first().waitFor();
      await page.keyboard.press('Escape');
    }
  });

  test('has a search that finds operations', async () => {
    const { page } = visited;
    await page.getByRole('button', { name: 'Search' }).click();
    await page.keyboard.type('revoke a link');
    await page.getByRole('option', { name: 'Revoke a link' }).click();
    await page.waitForURL(/revokeLink$/);
    await page.getByRole('heading', { name: 'Revoke a link' }).waitFor();
  });

  test('sends a request with the entered session token to the service and shows the response', async () => {
    const { page, requests } = visited;
    await openReference(page, '#tag/keys-sessions-and-users/showSession');
    await page.getByRole('button', { name: /Test Request.*\/auth\/session/ }).click();
    const form = page.getByRole('dialog', { name: 'API Client' });
    await form.getByRole('textbox', { name: 'Bearer Token' }).fill(await signIn(client));
    await form.getByRole('button', { name: /^Send get request/ }).click();
    await form.getByRole('link', { name: '200 OK' }).waitFor();
    await form.getByText(ADMIN.email).waitFor();
    assert.ok(requests.includes(`${service.url}/auth/session`));
    const unknown = (await accessibilityViolations(page)).filter(
      (barrier) => !VIOLATED_BY_SCALAR.includes((barrier as { id: string }).id),
    );
    assert.deepEqual(unknown, []);
  });

  test('opens an operation from a link to its earlier address, with a title and headings', async (t) => {
    const { page, problems } = await visit(t, browser, DESKTOP);
    await page.goto(`${service.url}/docs#tag/access-links/revokeLinks`);
    await page.waitForURL(`${service.url}/docs/api#tag/access-links/revokeLinks`);
    page.setDefaultTimeout(60_000);
    const heading = (level: number, name: string) =>
      page.getByRole('heading', { level, name, exact: true });
    await heading(3, 'Revoke all active links of a person').waitFor();
    await heading(2, 'Access links').waitFor();
    await heading(1, 'Gatehouse').waitFor();
    assert.equal(await page.title(), 'Gatehouse: API reference');
    assert.deepEqual(await accessibilityViolations(page), []);
    assert.deepEqual(problems, []);
  });

  test('sends requests to the host of the page, not to the configured base URL', async (t) => {
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

/** Returns the anchors of all operations in the search index of the documentation. */
async function operationsInSearch(): Promise<string[]> {
  const [, index = ''] = /data-index="([^"]+)"/.exec((await client('/docs/')).text) ?? [];
  const pages = JSON.parse((await client(`/docs/${index}`)).text) as {
    readonly path: string;
    readonly sections: readonly (readonly [fragment: string])[];
  }[];
  const operations = pages.find(({ path }) => path === 'api')?.sections ?? [];
  return operations.map(([fragment]) => fragment);
}

async function openReference(page: Page, fragment = '', base = service.url): Promise<void> {
  page.setDefaultTimeout(60_000);
  await page.goto(`${base}/docs/api${fragment}`);
  await page.getByRole('main').waitFor();
}

/**
 * Asserts that all requests go to the service. Requests for `blob:` URLs are allowed, because they download responses.
 */
function assertOwn(requests: readonly string[]): void {
  for (const url of requests) assert.match(url, new RegExp(`^(blob:)?${service.url}/`));
}
