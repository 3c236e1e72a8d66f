import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { openBrowser, skip, visit } from '../support/browser/browser.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();

test('a client that is not a browser gets a 404 at the root', async () => {
  const answer = await client('/');
  assert.equal(answer.status, 404);
  assert.equal(answer.json['code'], 'http.not-found');
});

describe('the start page', { skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1280])
      test(`is accessible at a width of ${width} in the ${colorScheme} colour scheme, and loads no other files`, async (t) => {
        const options = { colorScheme, viewport: { width, height: 800 } };
        const { page, problems, requests } = await visit(t, browser, options);
        await page.goto(service.url);
        await page.getByRole('heading', { name: 'Gatehouse is running' }).waitFor();
        assert.deepEqual(await accessibilityViolations(page), []);
        const overflow = 'document.documentElement.scrollWidth - window.innerWidth';
        assert.ok(Number(await page.evaluate(overflow)) <= 0, 'the page scrolls sideways');
        const ground = 'getComputedStyle(document.body).backgroundColor';
        const expected = colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(22, 24, 29)';
        assert.equal(await page.evaluate(ground), expected);
        assert.deepEqual(problems, []);
        assert.deepEqual(requests, [`${service.url}/`]);
      });

  test('works without JavaScript, and its links open the documentation and the OpenAPI document', async (t) => {
    const { page, problems } = await visit(t, browser, { javaScriptEnabled: false });
    await page.goto(service.url);
    await page.getByRole('link', { name: 'Documentation' }).click();
    await page.waitForURL(`${service.url}/docs/`);
    await page.goBack();
    await page.getByRole('link', { name: 'OpenAPI 3.1 document' }).click();
    await page.waitForURL(`${service.url}/openapi.json`);
    assert.deepEqual(problems, []);
  });
});
