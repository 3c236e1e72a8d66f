import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('a knowledge editor in the console', { skip }, () => {
  const browser = browserOfThisFile();

  async function wiki(name: string) {
    const space = await makeSpace(client, admin, { name });
    return { ...space, path: `${service.url}/console/spaces/${space.id}/documents` };
  }

  const file = (name: string, text: string) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(text),
  });
  const choose = (page: Page, ...files: ReturnType<typeof file>[]) =>
    page.getByLabel('Files', { exact: true }).first().setInputFiles(files);

  test('goes from an empty installation to a document that a link shows', async (t) => {
    const { page, assertClean } = await openConsole(t, browser, `${service.url}/console`);
    await signInToConsole(page);
    await page.getByLabel('Name').fill('First wiki');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Documents' }).click();
    await page.getByText('The assistant answers from documents.').waitFor();
    await assertAccessible(page);
    await page.getByText('Metadata for the next files').first().click();
    await page.getByLabel('Name of field 1').fill('audience');
    await page.getByLabel('Type of field 1').selectOption('List');
    await page.getByLabel('Value of field 1').fill('customers\nstaff');
    await choose(page, file('refunds.txt', 'A refund takes five days.'));
    await page.getByText('added', { exact: true }).waitFor();
    await page.getByRole('row', { name: /refunds\.txt.*ready.*audience/ }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'refunds.txt', exact: true }).click();
    await page.getByText('A refund takes five days.').waitFor();
    await page.getByText('0 of 0 active links show it.').waitFor();
    await page.getByRole('link', { name: 'Create a link' }).click();
    await page.getByLabel('Person (sub)').fill('ada');
    await page.getByLabel('Permission filter').fill('{ "audience": { "eq": "customers" } }');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'The link was created' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('link', { name: 'refunds.txt', exact: true }).click();
    await page.getByText('1 of 1 active link shows it.').waitFor();
    await page.getByRole('link', { name: 'ada' }).waitFor();
    await assertAccessible(page);
    assertClean();
  });

  test('uploads many files, and decides for each existing name whether to replace it', async (t) => {
    const { id, path } = await wiki('Uploads');
    for (const name of ['a.txt', 'b.txt'])
      await addDocument(client, admin, id, {
        fileName: name,
        text: `Old ${name}`,
        metadata: { team: 'x' },
      });
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await choose(
      page,
      file('a.txt', 'New a'),
      file('b.txt', 'New b'),
      file('c.txt', 'New c'),
      file('d.pdf', 'This is no PDF'),
    );
    await page.getByRole('button', { name: 'Replace a.txt' }).press('Enter');
    await page.getByRole('button', { name: 'Replace a.txt' }).waitFor({ state: 'detached' });
    assert.match(await page.locator('li:focus').innerText(), /a\.txt/);
    await page.getByRole('button', { name: 'Keep both b.txt' }).click();
    await page.getByText('4 of 4 finished').waitFor();
    const files = page.getByRole('list', { name: 'Files' });
    const resultOf = (name: string) => files.getByRole('listitem').filter({ hasText: name });
    assert.match(await resultOf('a.txt').innerText(), /replaced/);
    assert.match(await resultOf('b.txt').innerText(), /added\s+Open b \(2\)\.txt/);
    assert.match(await resultOf('c.txt').innerText(), /added/);
    assert.match(await resultOf('d.pdf').innerText(), /file:.*Try again/s);
    await assertAccessible(page);
    const { json } = await client(`/spaces/${id}/documents`, { as: admin });
    const names = (json['items'] as { fileName: string; metadata: unknown }[])
      .map(({ fileName, metadata }) => `${fileName} ${JSON.stringify(metadata)}`)
      .sort();
    assert.deepEqual(names, [
      'a.txt {"team":"x"}',
      'b (2).txt {}',
      'b.txt {"team":"x"}',
      'c.txt {}',
    ]);
    const found = await client(`/spaces/${id}/search`, { as: admin, body: { query: 'a.txt Old' } });
    assert.doesNotMatch(found.text, /Old a\.txt/);
    assertClean();
  });

  test('uploads continue while the user visits other pages, and the browser asks before they are lost', async (t) => {
    const { path } = await wiki('Other pages');
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/documents', async (route) => {
      if (route.request().method() === 'POST') await released;
      await route.continue();
    });
    await choose(page, ...['a', 'b', 'c', 'd', 'e'].map((name) => file(`${name}.txt`, name)));
    await page.getByText('0 of 5 finished').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Crawls' }).click();
    await page.getByRole('heading', { level: 1, name: 'Crawls' }).waitFor();
    const isAsking = `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`;
    assert.equal(await page.evaluate(isAsking), true);
    release();
    await page.goBack();
    await page.getByText('5 of 5 finished').waitFor();
    await page.getByRole('row', { name: /e\.txt.*ready/ }).waitFor();
    assert.equal(await page.evaluate(isAsking), false);
    assertClean();
  });

  test('the list of documents is loaded a few times per second while many files are added', async (t) => {
    const { id, path } = await wiki('Many files');
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByText('Drop files on the area above').waitFor();
    let loads = 0;
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === `/spaces/${id}/documents` && searchParams.has('order')) loads += 1;
    });
    const startedAt = Date.now();
    await choose(page, ...Array.from({ length: 40 }, (_, n) => file(`${n}.txt`, `Text ${n}`)));
    await page.getByText('40 of 40 finished').waitFor();
    const seconds = (Date.now() - startedAt) / 1000;
    assert.ok(loads <= 3 * seconds + 2, `${loads} requests in ${seconds} s`);
    await page.getByRole('row', { name: /39\.txt.*ready/ }).waitFor();
  });

  test('uploads wait while the connection is lost, and continue afterwards', async (t) => {
    const { path } = await wiki('Interrupted');
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByText('The assistant answers from documents.').waitFor();
    await page.route(/\/(documents|healthz)/, (route) => route.abort());
    await choose(page, ...['a', 'b', 'c', 'd', 'e'].map((name) => file(`${name}.txt`, name)));
    await page.getByText('The connection is lost.').waitFor();
    await page.getByText('0 of 5 finished').waitFor();
    await page.unrouteAll();
    await page.getByText('5 of 5 finished').waitFor();
    await page.getByRole('row', { name: /e\.txt/ }).waitFor();
  });

  test('a replacement that a lost connection has interrupted ends with one document', async (t) => {
    const { id, path } = await wiki('Interrupted');
    await addDocument(client, admin, id, { fileName: 'a.txt', text: 'Old a' });
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const lost: string[] = [];
    await page.route('**/documents/*', async (route) => {
      const method = route.request().method();
      // The client sends a request again after the first failure.
      if (lost.filter((one) => one === method).length === 2) return route.continue();
      lost.push(method);
      // The service deletes the old document, but its response is lost.
      if (method === 'DELETE') await route.fetch().catch(() => {});
      await route.abort();
    });
    await choose(page, file('a.txt', 'New a'));
    await page.getByRole('button', { name: 'Replace a.txt' }).click();
    await page.getByText('1 of 1 finished').waitFor();
    assert.deepEqual(lost, ['GET', 'GET', 'DELETE', 'DELETE']);
    await page.getByRole('list', { name: 'Files' }).getByText('replaced').waitFor();
    const { json } = await client(`/spaces/${id}/documents`, { as: admin });
    assert.equal((json['items'] as object[]).length, 1);
    const found = await client(`/spaces/${id}/search`, { as: admin, body: { query: 'Old New' } });
    assert.match(found.text, /New a/);
  });

  test('asks about the second file with the same name, and says that a file could not be read', async (t) => {
    const { path } = await wiki('Same name');
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await choose(
      page,
      file('same.txt', 'One'),
      file('same.txt', 'Two'),
      file('list.json', '{"a":'),
    );
    await page.getByRole('button', { name: 'Keep both same.txt' }).click();
    await page.getByText('3 of 3 finished, 1 failed').waitFor();
    const files = page.getByRole('list', { name: 'Files' });
    const failed = files.getByRole('listitem').filter({ hasText: 'list.json' });
    assert.match(await failed.innerText(), /failed.*not valid JSON/s);
    await files.getByRole('link', { name: 'Open same (2).txt' }).waitFor();
    await page.getByRole('button', { name: 'Clear finished' }).click();
    assertClean();
  });

  test('drops files on the area and anywhere else on the page', async (t) => {
    const { path } = await wiki('Drop');
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const area = page.getByText('Drop files here, or').locator('..');
    await area.waitFor();
    const transfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      for (const name of ['one.md', 'two.md'])
        transfer.items.add(new File(['# ' + name], name));
      return transfer;
    })()`);
    await area.dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByText('2 of 2 finished').waitFor();
    await page.getByRole('row', { name: /two\.md/ }).waitFor();
    const other = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['# three'], 'three.md'));
      return transfer;
    })()`);
    await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer: other });
    await page.getByRole('row', { name: /three\.md/ }).waitFor();
  });

  test('sees why a document failed, indexes it again, and deletes it', async (t) => {
    const { id, path } = await wiki('Failures');
    const body = new FormData();
    body.set('file', new File(['%PDF-1.7 no PDF'], 'broken.pdf'));
    const headers = { authorization: `Bearer ${admin}` };
    await fetch(`${service.url}/spaces/${id}/documents`, { method: 'POST', headers, body });
    const { page, assertClean } = await openConsole(t, browser, `${path}?state=failed`);
    await signInToConsole(page);
    const row = page.getByRole('row', { name: /broken\.pdf/ });
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.reload();
    await row.getByText('failed').waitFor();
    assert.match(await row.innerText(), /The file is damaged/);
    const retried = page.waitForResponse(/\/retry\?force=true$/);
    await row.getByRole('button', { name: 'Index again' }).click();
    assert.equal((await retried).status(), 200);
    await page.goto(path);
    await row.getByText('failed').waitFor();
    await page.getByRole('link', { name: 'broken.pdf' }).click();
    await page.getByText('There are no passages here.').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this document?' });
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The assistant answers from documents.').waitFor();
    assertClean();
  });
});
