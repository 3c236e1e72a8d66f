import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, skip } from '../../support/browser/browser.ts';
import { openConsole, signInToConsole } from '../../support/browser/console.ts';
import { addDocument } from '../../support/knowledge/knowledge.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../../support/provision.ts';
import { serviceOfThisFile } from '../../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('the lists of the console', { skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  async function ask(spaceId: string, sub: string, texts: readonly string[]) {
    const { token } = await makeLink(client, admin, { spaceId, sub });
    const as = await exchangeLink(client, token);
    for (const [index, text] of texts.entries()) {
      const messages = [{ role: 'user', parts: [{ type: 'text', text }] }];
      await client('/chat', { as, body: { id: `${sub.slice(0, 20)}-${index}`, messages } });
    }
  }

  test('a bookmark with a cursor of another order or filter shows the first page', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Bookmarks' });
    await addDocument(client, admin, id, { fileName: 'a.txt', text: 'A text.' });
    await ask(id, 'ada', ['Do you sell gift cards?']);
    const root = `${service.url}/console/spaces/${id}`;
    const { page, assertClean } = await openConsole(
      t,
      browser,
      `${root}/documents?order=oldest&after=b3V0ZGF0ZWQ`,
    );
    await signInToConsole(page);
    await page.getByRole('link', { name: 'a.txt' }).waitFor();
    assert.equal(page.url(), `${root}/documents?order=oldest`);
    await page.goto(`${root}/conversations?sub=ada&after=b3V0ZGF0ZWQ`);
    await page.getByRole('link', { name: 'Do you sell gift cards?' }).waitFor();
    assert.equal(page.url(), `${root}/conversations?sub=ada`);
    await page.getByRole('link', { name: 'Do you sell gift cards?' }).click();
    await page.getByRole('heading', { name: 'Do you sell gift cards?' }).waitFor();
    await page.goto(`${page.url()}?after=b3V0ZGF0ZWQ`);
    await page.getByRole('heading', { name: 'Do you sell gift cards?' }).waitFor();
    assert.equal(new URL(page.url()).search, '');
    assertClean();
  });
});
