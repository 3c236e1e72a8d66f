import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../../support/browser/browser.ts';
import {
  assertAccessible,
  openConsole,
  signInToConsole,
  untilLoaded,
} from '../../support/browser/console.ts';
import { addDocument } from '../../support/knowledge/knowledge.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../../support/provision.ts';
import { serviceOfThisFile } from '../../support/services/file-service.ts';

const LONG = 'averyveryverylongnamewithoutspaces'.repeat(4);

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('the lists of the console', { skip }, () => {
  const browser = browserOfThisFile();

  async function ask(spaceId: string, sub: string, texts: readonly string[]) {
    const { token } = await makeLink(client, admin, { spaceId, sub });
    const as = await exchangeLink(client, token);
    for (const [index, text] of texts.entries()) {
      const messages = [{ role: 'user', parts: [{ type: 'text', text }] }];
      await client('/chat', { as, body: { id: `${sub.slice(0, 20)}-${index}`, messages } });
    }
  }

  test('every assistant and every invitation of a large space is listed', async (t) => {
    const { id, botId } = await makeSpace(client, admin, { name: 'Large' });
    for (let number = 1; number <= 101; number++) {
      await client(`/spaces/${id}/bots`, { as: admin, body: { name: `Bot ${number}` } });
      const invitation = { email: `person-${number}@example.com`, role: 'viewer' };
      await client(`/bots/${botId}/members`, { as: admin, body: invitation });
    }
    const root = `${service.url}/console/spaces/${id}`;
    const { page, assertClean } = await openConsole(t, browser, `${root}/people`);
    await signInToConsole(page);
    await page.getByText('person-101@example.com').first().waitFor();
    await page.getByLabel('Assistant').selectOption('Bot 101');
    await page.getByText('No invitation is pending.').waitFor();
    await page.goto(`${root}/settings`);
    await page.getByText('Bot 101').first().click();
    await page.getByRole('region', { name: 'Tools of Bot 101' }).waitFor();
    assertClean();
  });

  test('the access preview explains a document that is not among the hundred newest', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Library' });
    for (let number = 0; number <= 100; number++) {
      const document = {
        fileName: number === 0 ? 'Margins.txt' : `${number}.txt`,
        text: 'A text.',
      };
      await client(`/spaces/${id}/documents`, { as: admin, body: document });
    }
    const path = `${service.url}/console/spaces/${id}/access`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByLabel('Permission filter to try').fill('{"audience":{"eq":"customers"}}');
    await page.getByRole('button', { name: 'Show' }).click();
    const why = page.getByRole('region', { name: 'Why?' });
    await why.getByText('The 100 newest documents').waitFor();
    const search = why.getByLabel('Name or metadata contains');
    await search.fill('nothing');
    await search.press('Enter');
    await why.getByText('No document matches.').waitFor();
    await search.fill('margins');
    await search.press('Enter');
    await why.getByLabel('Document', { exact: true }).selectOption('Margins.txt');
    await why.getByText('does not hold').waitFor();
    await assertAccessible(page);
    assertClean();
  });

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

  test('an unchanged filter loads the list again and adds no entry to the history', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Unchanged' });
    const space = `${service.url}/console/spaces/${id}`;
    const { page, assertClean } = await openConsole(t, browser, `${space}/documents`);
    await signInToConsole(page);
    for (const [path, request] of [
      ['documents', '/documents?'],
      ['documents/search', '/search'],
      ['links', '/assistant-link?'],
      ['conversations', '/conversations?'],
      ['events', '/events?'],
      ['people', '/members?'],
      ['audit', '/audit?'],
    ] as const) {
      await page.goto(`${space}/${path}`);
      await untilLoaded(page);
      const field = page.getByRole('searchbox').first();
      await field.fill('terms & more');
      const loads = () => page.waitForResponse((response) => response.url().includes(request));
      await Promise.all([loads(), field.press('Enter')]);
      await page.waitForURL(/terms/);
      const length = await page.evaluate('history.length');
      await Promise.all([loads(), field.press('Enter')]);
      assert.equal(await page.evaluate('history.length'), length, path);
    }
    await page.goto(`${space}/documents`);
    const field = page.getByRole('searchbox');
    await field.fill('terms');
    await field.press('Enter');
    await page.getByText('No document matches.').waitFor();
    await addDocument(client, admin, id, { fileName: 'terms.txt', text: 'A text.' });
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: 'terms.txt' }).waitFor();
    await page.goBack();
    await page.waitForURL(`${space}/documents`);
    assertClean();
  });

  test('no column is cut in windows that are 1280 and 1024 pixels wide', async (t) => {
    const { id } = await makeSpace(client, admin, { name: LONG.slice(0, 100) });
    const metadata = { [LONG.slice(0, 60)]: LONG };
    await addDocument(client, admin, id, { fileName: `${LONG}.txt`, text: 'A text.', metadata });
    await ask(id, LONG, ['Do you sell gift cards?', LONG]);
    await client(`/users`, {
      as: admin,
      body: { email: `${LONG.slice(0, 60)}@example.com`, name: LONG, password: LONG.slice(0, 40) },
    });
    await client(`/spaces/${id}/subscriptions`, {
      as: admin,
      body: { url: `https://shop.example/${LONG}` },
    });
    const root = `${service.url}/console`;
    const { page, assertClean } = await openConsole(t, browser, root);
    await signInToConsole(page);
    const space = `${root}/spaces/${id}`;
    for (const path of [
      root,
      `${root}/users`,
      `${root}/audit`,
      `${root}/account`,
      ...['links', 'documents', 'conversations', 'subscriptions', 'people', 'audit'].map(
        (name) => `${space}/${name}`,
      ),
    ]) {
      await page.goto(path);
      await untilLoaded(page);
      for (const width of [1280, 1024]) {
        await page.setViewportSize({ width, height: 800 });
        const cut = `[document.documentElement, ...document.querySelectorAll('.scroll')]
          .filter((one) => one.scrollWidth > one.clientWidth + 1).length`;
        assert.equal(await page.evaluate(cut), 0, `${path} at ${width}`);
      }
    }
    assertClean();
  });

  test('links and buttons with different effects have different names', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Names' });
    await ask(id, 'ada', ['Do you sell gift cards?', 'Do you ship to Iceland?']);
    const event = { specversion: '1.0', source: 'https://shop.example', type: 'example.paid' };
    await client(`/events?spaceId=${id}`, {
      as: admin,
      body: { events: ['1', '2'].map((number) => ({ ...event, id: number })) },
    });
    const space = `${service.url}/console/spaces/${id}`;
    const { page, assertClean } = await openConsole(t, browser, space);
    await signInToConsole(page);
    for (const path of ['', '/conversations/questions', '/events', '/links/new', '/widget']) {
      await page.goto(`${space}${path}`);
      await untilLoaded(page);
      for (const role of ['link', 'button'] as const) {
        const snapshot = await page.getByRole('main').ariaSnapshot();
        const names = [...snapshot.matchAll(new RegExp(`- ${role} "(.*)"`, 'g'))].map(
          ([, name]) => name,
        );
        assert.deepEqual(names, [...new Set(names)], `${role} in ${path}`);
      }
    }
    assertClean();
  });
});
