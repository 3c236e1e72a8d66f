import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { browserOfThisFile, skip, visit } from '../support/browser/browser.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const DESKTOP = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 } };

test('the service serves the built documentation, with its guides and decisions', async () => {
  for (const path of [
    '',
    'configuration',
    'guides/embed',
    'decisions',
    'decisions/0010-access-links',
  ]) {
    const page = await client(`/docs/${path}`);
    assert.equal(page.status, 200, path);
    assert.ok(page.text.includes('<main id="content"'), path);
  }
  const moved = await client('/docs');
  assert.deepEqual([moved.status, moved.headers.get('location')], [302, 'docs/']);
});

describe('the documentation', { skip }, () => {
  const browser = browserOfThisFile();

  for (const [colorScheme, device] of [
    ['light', DESKTOP],
    ['dark', DESKTOP],
    ['dark', PHONE],
  ] as const)
    test(`is accessible at a width of ${device.viewport.width} in the ${colorScheme} colour scheme, fits the screen and contacts no other host`, async (t) => {
      const { page, problems, requests } = await visit(t, browser, { ...device, colorScheme });
      for (const path of ['', 'guides/receive-events', 'security']) {
        await page.goto(`${service.url}/docs/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        assert.deepEqual(await accessibilityViolations(page), [], path);
        assert.ok((await overflowOf(page)) <= 0, `${path} scrolls sideways`);
      }
      assert.equal(await groundOf(page), GROUND[colorScheme]);
      assert.deepEqual(problems, []);
      for (const url of requests) assert.ok(url.startsWith(`${service.url}/docs/`), url);
    });

  test('has a search for guides and operations that works with the keyboard', async (t) => {
    const { page, problems } = await visit(t, browser, DESKTOP);
    await page.goto(`${service.url}/docs/guides/embed`);
    await page.keyboard.press('/');
    await page.keyboard.type('revoke access of a person');
    const first = page.getByRole('option', { name: /Revoke all access of one person/ });
    await first.waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    assert.equal(await first.getAttribute('aria-selected'), 'true');
    await page.keyboard.press('Enter');
    await page.waitForURL(/docs\/guides\/manage-access#revoke-all-access-of-one-person$/);

    await page.keyboard.press('Control+k');
    await page.keyboard.type('zzzz');
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('combobox').fill('exchange token');
    const operation = page.getByRole('option', { name: /POST \/assistant-link\/exchange/ });
    await operation.waitFor();
    assert.equal(await operation.getAttribute('href'), '../api#tag/access-links/exchangeLink');
    assert.deepEqual(problems, []);
  });

  test('remembers the chosen colours, also before the first paint of the next page', async (t) => {
    const { page, problems } = await visit(t, browser, { ...DESKTOP, colorScheme: 'light' });
    await page.goto(`${service.url}/docs/`);
    const button = page.getByRole('button', { name: /^Colours/ });
    await button.click();
    await button.click();
    assert.equal(await button.getAttribute('aria-label'), 'Colours: dark');
    await page.goto(`${service.url}/docs/glossary`, { waitUntil: 'commit' });
    await page.locator('main').waitFor();
    assert.equal(await groundOf(page), GROUND.dark);
    await page.getByRole('button', { name: 'Colours: dark' }).click();
    assert.equal(await groundOf(page), GROUND.light);
    assert.deepEqual(problems, []);
  });

  test('has a menu on a phone and a button that copies code', async (t) => {
    const options = { ...PHONE, permissions: ['clipboard-read', 'clipboard-write'] };
    const { page, problems } = await visit(t, browser, options);
    await page.goto(`${service.url}/docs/guides/send-events`);
    const menu = page.getByRole('button', { name: 'Menu' });
    const link = page.getByRole('link', { name: 'Threat model' });
    assert.equal(await link.isVisible(), false);
    await menu.click();
    await link.waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.keyboard.press('Escape');
    assert.equal(await link.isVisible(), false);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.match(String(copied), /^result=\$\(curl /);
    assert.deepEqual(problems, []);
  });

  test('works without JavaScript', async (t) => {
    const { page } = await visit(t, browser, { ...PHONE, javaScriptEnabled: false });
    await page.goto(`${service.url}/docs/`);
    await page.getByRole('link', { name: 'Send events' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Send events' }).waitFor();
    await page.getByRole('navigation', { name: 'Documentation' }).waitFor();
    assert.equal(await page.getByRole('button').count(), 0);
  });
});

const GROUND = { light: 'rgb(255, 255, 255)', dark: 'rgb(22, 24, 29)' };

async function groundOf(page: Page): Promise<unknown> {
  return page.evaluate('getComputedStyle(document.body).backgroundColor');
}

async function overflowOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'));
}
