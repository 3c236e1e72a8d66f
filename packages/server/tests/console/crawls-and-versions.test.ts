import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { crawlsOf } from '../support/knowledge/crawls.ts';
import { untilDocumentIndexed } from '../support/knowledge/knowledge.ts';
import { pageOf, startSite } from '../support/knowledge/site.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile({ env: ALLOW_RECEIVERS });
const admin = await signIn(client);

describe('crawls and versions in the console', { skip }, () => {
  const browser = browserOfThisFile();

  test('a crawl is created, shows its progress and its failed pages, and is started again and deleted', async (t) => {
    await using site = await startSite({
      '/': pageOf('Start', '/staff/rota', '/broken'),
      '/staff/rota': pageOf('Rota'),
      '/broken': { status: 403 },
    });
    const { id: spaceId } = await makeSpace(client, admin);
    const url = `${service.url}/console/spaces/${spaceId}/crawls`;
    const { page, assertClean } = await openConsole(t, browser, url);
    await signInToConsole(page);
    await page.getByText('A crawl reads the pages of a site').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Help');
    await page.getByLabel('Address').fill(site.url);
    await page.getByRole('button', { name: 'Add a pattern' }).click();
    await page.getByLabel('Pattern', { exact: true }).fill('/staff/*');
    await page.getByLabel('Name of field 1').fill('audience');
    await page.getByLabel('Value of field 1').fill('staff');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('new or changed: 2, failed: 1').waitFor();
    await page.getByRole('cell', { name: 'the site answered with status 403' }).waitFor();
    const broken = page.getByRole('link', { name: `${site.url}/broken` });
    assert.equal(await broken.getAttribute('href', { timeout: 5000 }), `${site.url}/broken`);
    await page.getByText('complete', { exact: true }).waitFor();
    await assertAccessible(page);
    const crawls = crawlsOf(client, admin, spaceId);
    const documents = await crawls.untilDocuments([`${site.url}/`, `${site.url}/staff/rota`]);
    assert.deepEqual(documents.find(({ title }) => title === 'Rota')?.metadata, {
      audience: 'staff',
    });
    await page.getByText('Change the definition').click();
    await page.getByLabel('Pages to skip').fill('/broken');
    await page.getByText('Limits of a run').click();
    assert.equal(await page.getByLabel('Maximum number of pages').inputValue(), '1000');
    await page.getByLabel('Maximum number of pages').fill('50');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('unchanged: 2', { exact: true }).waitFor();
    const [stored] = (await client(crawls.path, { as: admin })).json['items'] as {
      maxPages: number;
      exclude: string[];
    }[];
    assert.deepEqual([stored?.maxPages, stored?.exclude], [50, ['/broken']]);
    await page.getByRole('link', { name: 'Crawls' }).first().click();
    await page.getByRole('row', { name: /Help.*complete/ }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Help', exact: true }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('A crawl reads the pages of a site').waitFor();
    assertClean();
  });

  test('an earlier version of a document is restored with the current metadata', async (t) => {
    const { id: spaceId } = await makeSpace(client, admin);
    const path = `/spaces/${spaceId}/documents`;
    let id = '';
    for (const [text, team] of [
      ['The first text.', 'staff'],
      ['The second text.', 'everyone'],
    ]) {
      const body = { fileName: 'page.txt', text, metadata: { team } };
      const answer = await client(`${path}/by-key/page`, { method: 'PUT', as: admin, body });
      id = String(answer.json['id']);
      await untilDocumentIndexed(client, admin, `${path}/${id}`);
    }
    const url = `${service.url}/console/spaces/${spaceId}/documents/${id}`;
    const { page, assertClean } = await openConsole(t, browser, url);
    await signInToConsole(page);
    await page.getByText('The second text.').waitFor();
    await page.getByRole('row', { name: /^1 page\.txt/ }).waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Restore 1' }).click();
    await assertAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('The first text.').waitFor();
    await page.getByRole('row', { name: /^2 page\.txt/ }).waitFor();
    const { metadata } = (await client(`${path}/${id}`, { as: admin })).json;
    assert.deepEqual(metadata, { team: 'everyone' });
    assertClean();
  });
});
