import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { addDocument, untilDocumentIndexed } from '../support/knowledge/knowledge.ts';
import { makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

/** Text that runs a script, loads an image or changes the direction of the text if a page does not treat it as text. */
const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}\u202Egnp.exe`;

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('documents in the console', { skip }, () => {
  const browser = browserOfThisFile();

  async function wiki(name: string) {
    const space = await makeSpace(client, admin, { name });
    return { ...space, path: `${service.url}/console/spaces/${space.id}/documents` };
  }

  /** Adds a file that cannot be indexed, and returns the ID of its document. */
  async function addBroken(spaceId: string): Promise<string> {
    const path = `/spaces/${spaceId}/documents`;
    const body = new FormData();
    body.set('file', new File(['{"a":'], 'broken.json'));
    const headers = { authorization: `Bearer ${admin}` };
    const added = await fetch(service.url + path, { method: 'POST', headers, body });
    const { id } = (await added.json()) as { id: string };
    await untilDocumentIndexed(client, admin, `${path}/${id}`);
    return id;
  }

  test('changes the metadata of one document, with types, and every link sees the change', async (t) => {
    const { id, path } = await wiki('Metadata');
    const { id: documentId } = await addDocument(client, admin, id, {
      fileName: 'plan.txt',
      text: 'The plan.',
      metadata: { level: 1, owner: { name: 'Ada' } },
    });
    const permissionFilter = { level: { gte: 3 } };
    const bob = await makeLink(client, admin, { spaceId: id, sub: 'bob', permissionFilter });
    const never = { level: { gte: 9 } };
    await makeLink(client, admin, { spaceId: id, sub: 'cleo', permissionFilter: never });
    const { page, assertClean } = await openConsole(t, browser, `${path}/${documentId}`);
    await signInToConsole(page);
    const links = page.getByRole('region', { name: 'Links that show this document' });
    await links.getByText('0 of 2 active links show it.').waitFor();
    await links.getByText('No link shows this document.').waitFor();
    assert.equal(await links.getByRole('link').count(), 0);
    await page.getByLabel('Value of field 1').fill('three');
    await page.getByText('Enter a number, such as 3 or 2.5.').waitFor();
    await assertAccessible(page);
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
    await page.getByLabel('Value of field 1').fill('3.5');
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Name of field 3').fill('public');
    await page.getByLabel('Type of field 3').selectOption('Yes or no');
    await page.getByLabel('Value of field 3').selectOption('Yes');
    await page.getByLabel('Title').fill('The great plan');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('heading', { name: 'The great plan' }).waitFor();
    await links.getByText('1 of 2 active links show it.').waitFor();
    assert.deepEqual(await links.getByRole('link').allInnerTexts(), ['bob']);
    const target = await links.getByRole('link').getAttribute('href');
    assert.equal(target, `/console/spaces/${id}/links/${bob.id}`);
    const { json } = await client(`/spaces/${id}/documents/${documentId}`, { as: admin });
    assert.deepEqual(json['metadata'], { level: 3.5, owner: { name: 'Ada' }, public: true });
    assertClean();
  });

  test('keeps what somebody else has changed in a document since the page was opened', async (t) => {
    const { id, path } = await wiki('Two editors');
    const { id: documentId } = await addDocument(client, admin, id, {
      fileName: 'plan.txt',
      text: 'The plan.',
      metadata: { audience: 'customers', team: 'red' },
    });
    const document = `/spaces/${id}/documents/${documentId}`;
    const { page, assertClean } = await openConsole(t, browser, `${path}/${documentId}`);
    await signInToConsole(page);
    await page.getByLabel('Title').fill('The great plan');
    const url = 'https://wiki.example/plan';
    const restricted = { audience: 'staff', team: 'red', secret: true };
    await client(document, { method: 'PATCH', as: admin, body: { metadata: restricted, url } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const retitled = await client(document, { as: admin });
    assert.equal(retitled.json['title'], 'The great plan');
    assert.equal(retitled.json['url'], url);
    assert.deepEqual(retitled.json['metadata'], restricted);
    await client(document, { method: 'PATCH', as: admin, body: { metadata: { audience: 'hr' } } });
    await page.getByLabel('Value of field 2').fill('blue');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { json } = await client(document, { as: admin });
    assert.deepEqual(json['metadata'], { audience: 'hr', team: 'blue' });
    assert.equal(await page.getByLabel('Value of field 1').inputValue(), 'hr');
    assertClean();
  });

  test('changes and deletes several documents at once, with a result for each', async (t) => {
    const { id, path } = await wiki('Bulk');
    const ids: string[] = [];
    for (const name of ['one.txt', 'two.txt', 'three.txt'])
      ids.push((await addDocument(client, admin, id, { fileName: name, text: name })).id);
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByRole('button', { name: 'Select all of this page' }).click();
    await page.getByText('3 selected').waitFor();
    await client(`/spaces/${id}/documents/${ids[1]}`, { as: admin, method: 'DELETE' });
    await page.getByRole('button', { name: 'Change metadata' }).click();
    const bulk = page.getByRole('region', { name: 'Selected documents' });
    await bulk.getByLabel('Name of field 1').fill('team');
    await bulk.getByLabel('Value of field 1').fill('support');
    await assertAccessible(page);
    await bulk.getByRole('button', { name: 'Apply' }).click();
    await bulk.getByText('3 of 3 finished, 1 failed').waitFor();
    assert.match(await bulk.innerText(), /two\.txt\s+The document no longer exists\./);
    await page.getByRole('row', { name: /three\.txt.*team: support/ }).waitFor();
    await assertAccessible(page);
    await page.getByLabel('Select one.txt').uncheck();
    await bulk.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await bulk.getByText('2 of 2 finished, 0 failed').waitFor();
    await bulk.getByText(/\d selected/).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /three\.txt/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /one\.txt/ }).waitFor();
    assertClean();
  });

  test('a running deletion permits no other change, and keeps documents that are selected meanwhile', async (t) => {
    const { id, path } = await wiki('Deletion');
    for (const name of ['a.txt', 'b.txt', 'c.txt'])
      await addDocument(client, admin, id, { fileName: name, text: `Text of ${name}` });
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/documents/*', async (route) => {
      if (route.request().method() === 'DELETE') await released;
      await route.continue();
    });
    await page.getByLabel('Select a.txt').check();
    await page.getByLabel('Select b.txt').check();
    const bulk = page.getByRole('region', { name: 'Selected documents' });
    await bulk.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const focused = page.locator('section:focus');
    assert.equal(await focused.getAttribute('aria-label'), 'Selected documents');
    assert.ok(await bulk.getByRole('button', { name: 'Change metadata' }).isDisabled());
    assert.ok(await bulk.getByRole('button', { name: 'Delete' }).isDisabled());
    await page.getByLabel('Select c.txt').check();
    release();
    await bulk.getByText('2 of 2 finished, 0 failed').waitFor();
    await bulk.getByText('1 selected').waitFor();
    await bulk.getByRole('button', { name: 'Change metadata' }).click();
    await page.getByRole('row', { name: /a\.txt/ }).waitFor({ state: 'detached' });
    assert.ok(await page.getByLabel('Select c.txt').isChecked());
    assertClean();
  });

  test('removes a document from the list that cannot be indexed again because it is deleted, and says so', async (t) => {
    const { id, path } = await wiki('Gone');
    const documentId = await addBroken(id);
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const again = page.getByRole('button', { name: 'Index again broken.json' });
    await again.waitFor();
    await client(`/spaces/${id}/documents/${documentId}`, { method: 'DELETE', as: admin });
    await again.click();
    await page.getByRole('row').first().waitFor({ state: 'detached' });
    await page.getByRole('alert').getByText('No document with this ID exists').waitFor();
    await assertAccessible(page);
    await page.getByLabel('State').selectOption('Failed');
    await page.getByText('No document matches.').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  test('says that a document that is indexed again has failed again, and why', async (t) => {
    const { id, path } = await wiki('Again');
    const documentId = await addBroken(id);
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const again = page.getByRole('button', { name: 'Index again' });
    const note = page.getByRole('alert').getByText(/^broken\.json failed again \(.+\): .*JSON/);
    await again.click();
    await page.getByRole('row').filter({ has: note }).waitFor();
    await assertAccessible(page);
    await page.goto(`${path}?state=failed`);
    await again.click();
    await note.waitFor();
    await again.waitFor();
    await page.goto(`${path}/${documentId}`);
    await again.click();
    await note.waitFor();
    assertClean();
  });

  test('indexes documents that are ready again, on the page of a document and in the list', async (t) => {
    const { id, path } = await wiki('Upgraded');
    const { id: documentId } = await addDocument(client, admin, id, {
      fileName: 'plan.txt',
      text: 'The plan.',
    });
    const { page, assertClean } = await openConsole(t, browser, `${path}/${documentId}`);
    await signInToConsole(page);
    const again = page.getByRole('button', { name: 'Index again' });
    const retried = () => page.waitForResponse(/\/retry/);
    let response = retried();
    await again.click();
    assert.deepEqual((await (await response).json()).state, 'processing');
    await page.getByRole('definition').filter({ hasText: '1 passage' }).waitFor();
    await assertAccessible(page);
    await page.goto(path);
    await page.getByLabel('Select plan.txt').check();
    response = retried();
    await again.click();
    assert.deepEqual((await (await response).json()).state, 'processing');
    await page.getByText('1 of 1 finished, 0 failed').waitFor();
    await page.getByRole('cell', { name: 'ready' }).waitFor();
    assertClean();
  });

  test('shows the button of a failed document in a narrow window without scrolling', async (t) => {
    const { id, path } = await wiki('Narrow');
    await addBroken(id);
    const fileName = 'Handbook for new colleagues and temporary staff of all branches.txt';
    await addDocument(client, admin, id, { fileName, text: 'The text.' });
    const viewport = { width: 320, height: 640 };
    const { page } = await openConsole(t, browser, path, { viewport });
    await signInToConsole(page);
    const button = page.getByRole('button', { name: 'Index again' });
    await button.waitFor();
    const box = await button.boundingBox();
    assert.ok(box !== null && box.x + box.width <= 300, `the button is at ${JSON.stringify(box)}`);
  });

  test('keeps a title that was set when the file of a document without a key is replaced', async (t) => {
    const { id, path } = await wiki('Titles');
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const replace = async (fileName: string, given: { title?: string }) => {
      const text = '<title>Title in the file</title><p>The first text.';
      const { id: documentId } = await addDocument(client, admin, id, {
        fileName,
        text,
        ...given,
      });
      await page.goto(`${path}/${documentId}`);
      await page.getByText('The first text.').waitFor();
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Replace the file' }).click();
      const buffer = Buffer.from('<title>New title in the file</title><p>The second text.');
      await (await chooser).setFiles([{ name: fileName, mimeType: 'text/html', buffer }]);
      await page.getByText('The second text.').waitFor();
      return page.getByRole('heading', { level: 1 }).innerText();
    };
    assert.equal(await replace('set.html', { title: 'Set by hand' }), 'Set by hand');
    assert.equal(await replace('from-the-file.html', {}), 'New title in the file');
    assertClean();
  });

  test('replaces and downloads a document', async (t) => {
    const { id, path } = await wiki('Replace');
    const key = `/spaces/${id}/documents/by-key/plan`;
    const metadata = { team: 'a' };
    const put = await client(key, {
      as: admin,
      method: 'PUT',
      body: { fileName: 'plan.txt', text: 'The first plan.', metadata },
    });
    const { page, assertClean } = await openConsole(t, browser, `${path}/${put.json['id']}`);
    await signInToConsole(page);
    await page.getByText('The first plan.').waitFor();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Replace the file' }).press('Enter');
    await (await chooser).setFiles([
      { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('The second plan.') },
    ]);
    await page.getByText('The second plan.').waitFor();
    assert.equal(await page.locator(':focus').innerText(), 'Replace the file');
    const shown = await client(`/spaces/${id}/documents/${put.json['id']}`, { as: admin });
    assert.deepEqual(shown.json['metadata'], metadata);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download', exact: true }).click();
    assert.equal((await download).suggestedFilename(), 'plan.txt');
    assertClean();
  });

  test('searches in the texts, and opens the passage', async (t) => {
    const { id, path } = await wiki('Search');
    await addDocument(client, admin, id, {
      fileName: 'parcels.txt',
      text: 'Parcels to Norway take five working days.',
    });
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByRole('link', { name: 'Search in the texts' }).click();
    await page.getByLabel('Words').fill('norway parcel');
    await page.getByRole('button', { name: 'Search' }).click();
    const found = page.getByRole('list', { name: 'Passages that were found' });
    await found.getByText('Norway', { exact: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('q'), 'norway parcel');
    await assertAccessible(page);
    await found.getByRole('link', { name: 'parcels.txt' }).click();
    await page.getByRole('heading', { name: 'parcels.txt' }).waitFor();
    await page.goBack();
    await found.waitFor();
    assertClean();
  });

  test('shows the newest or the oldest documents first, and finds documents by name', async (t) => {
    const { id, path } = await wiki('Many');
    for (let number = 1; number <= 60; number += 1)
      await client(`/spaces/${id}/documents`, {
        as: admin,
        body: { fileName: `page-${number}.txt`, text: `Page ${number}` },
      });
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const queryOf = () => new URL(page.url()).searchParams;
    const firstRow = page.getByRole('row').nth(1);
    await firstRow.filter({ hasText: 'page-60.txt' }).waitFor();
    await page.getByRole('link', { name: 'Next page' }).click();
    await firstRow.filter({ hasText: 'page-10.txt' }).waitFor();
    await page.getByLabel('Added').selectOption('Oldest first');
    await firstRow.filter({ hasText: 'page-1.txt' }).waitFor();
    assert.equal(new URL(page.url()).search, '?order=oldest');
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Next page' }).click();
    await firstRow.filter({ hasText: 'page-51.txt' }).waitFor();
    await page.reload();
    await firstRow.filter({ hasText: 'page-51.txt' }).waitFor();
    assert.equal(await page.getByLabel('Added').inputValue(), 'oldest');
    await page.getByLabel('Name or metadata contains').fill('page-5');
    await page.getByRole('button', { name: 'Filter' }).click();
    await firstRow.filter({ hasText: 'page-5.txt' }).waitFor();
    assert.equal(queryOf().get('order'), 'oldest');
    await page.getByLabel('Added').selectOption('Newest first');
    await firstRow.filter({ hasText: 'page-59.txt' }).waitFor();
    assert.equal(new URL(page.url()).search, '?search=page-5');
    await page.getByLabel('Name or metadata contains').fill('PAGE-60');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('row', { name: /page-60\.txt/ }).waitFor();
    assert.equal(new URL(page.url()).search, '?search=PAGE-60');
    await page.getByLabel('Name or metadata contains').fill('nothing');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No document matches.').waitFor();
  });

  test('sees hostile names, metadata, texts and versions as text, on every width', async (t) => {
    const { id, path } = await wiki(HOSTILE);
    let documentId = '';
    for (const version of ['first', 'second']) {
      const stored = await client(`/spaces/${id}/documents/by-key/hostile`, {
        method: 'PUT',
        as: admin,
        body: {
          fileName: `<b>${HOSTILE.replaceAll(/[/\u202E]/g, '')}${'n'.repeat(100)}.txt`,
          title: HOSTILE.replace('\u202E', ''),
          text: `${version} ${HOSTILE} ${'x'.repeat(1_000_000)}`,
          metadata: { [HOSTILE.slice(0, 30)]: HOSTILE, version, long: 'y'.repeat(20_000) },
        },
      });
      assert.ok(stored.status < 300, stored.text);
      documentId = String(stored.json['id']);
      await untilDocumentIndexed(client, admin, `/spaces/${id}/documents/${documentId}`);
    }
    await makeLink(client, admin, { spaceId: id, sub: HOSTILE });
    const { page, assertClean } = await openConsole(t, browser, path);
    page.on('dialog', () => assert.fail('a script ran'));
    await signInToConsole(page);
    for (const part of ['', `/${documentId}`, '/search?q=gnp'])
      for (const width of [1280, 1024, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(path + part);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        assert.equal(await page.locator('img, script:not([src])').count(), 0, part);
        const overflow = 'document.documentElement.scrollWidth > innerWidth';
        assert.equal(await page.evaluate(overflow), false, `${part} at ${width}`);
      }
    await client(`/spaces/${id}/documents/${documentId}`, {
      method: 'PATCH',
      as: admin,
      body: { title: 'averylongtitlewithoutspaces'.repeat(9) },
    });
    await page.goto(path);
    const box = await page.getByRole('link', { name: /averylong/ }).boundingBox();
    assert.ok((box?.width ?? 390) < 300, `the title has a width of ${box?.width} px`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${path}/${documentId}`);
    const version = page.getByRole('row', { name: /^1 <b>/ });
    await version.waitFor();
    // A long value does not push the rest of the page away.
    assert.ok(((await version.boundingBox())?.height ?? 0) < 400);
    await page.getByRole('button', { name: 'Restore 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('row', { name: /^2 <b>/ }).waitFor();
    assertClean();
  });
});
