import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import {
  assertAccessible,
  openConsole,
  signInToConsole,
  untilLoaded,
} from '../support/browser/console.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('the keyboard and the connection in the console', { skip }, () => {
  const browser = browserOfThisFile();

  test('/ focuses the search field, ? shows the help, and Escape closes it', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Keys' });
    const path = `${service.url}/console/spaces/${id}/links`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const search = page.getByLabel('Person (sub)');
    await search.waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard' });
    await help.waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    await page.keyboard.type('a/b?');
    assert.equal(await search.inputValue(), 'a/b?');
    assert.equal(await help.isVisible(), false);
    assertClean();
  });

  test('the menu of a narrow window closes with Escape and after each choice, and gives the focus back', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Menu' });
    const path = `${service.url}/console/spaces/${id}/links`;
    const { page, assertClean } = await openConsole(t, browser, `${path}?sub=ada`, {
      viewport: { width: 390, height: 800 },
    });
    await signInToConsole(page);
    await page.getByText('No link matches.').waitFor();
    const entry = page.getByRole('navigation').getByRole('link', { name: 'Links' });
    const isMenuFocused = () => page.locator('button:focus').getAttribute('aria-controls');
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await entry.waitFor({ state: 'hidden' });
    assert.equal(await isMenuFocused(), 'pages');
    await page.keyboard.press('Enter');
    await entry.press('Enter');
    await page.getByText('A link opens the assistant').waitFor();
    await entry.waitFor({ state: 'hidden' });
    assert.equal(await isMenuFocused(), 'pages');
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).press('Enter');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    assert.equal(await page.locator(':focus').getAttribute('id'), 'main');
    assertClean();
  });

  test('the title of a page names the page and the space, and filters follow the back button', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'History' });
    const path = `${service.url}/console/spaces/${id}/links`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const search = page.getByLabel('Person (sub)');
    await search.fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('No link matches.').waitFor();
    assert.equal(await page.title(), 'Links · History · Gatehouse');
    await page.goBack();
    await page.getByText('A link opens the assistant').waitFor();
    assert.equal(await search.inputValue(), '');
    await page.goForward();
    await page.getByRole('link', { name: 'Show all links' }).click();
    await page.getByText('A link opens the assistant').waitFor();
    assert.equal(await search.inputValue(), '');
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    assert.equal(await page.title(), 'API keys · History · Gatehouse');
    assertClean();
  });

  test('a link to the page that is shown loads its data again and adds no entry to the history', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Again' });
    const path = `${service.url}/console/spaces/${id}`;
    const { page, assertClean } = await openConsole(t, browser, `${path}/keys`);
    await signInToConsole(page);
    const link = page.getByRole('navigation').getByRole('link', { name: 'Documents' });
    await link.click();
    await page.getByText('Drop files on the area above').waitFor();
    await addDocument(client, admin, id, { fileName: 'new.txt', text: 'New.' });
    await link.press('Enter');
    await page.getByRole('link', { name: 'new.txt' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    assertClean();
  });

  test('the focus is never lost: after saving, after a dialog and on the next page', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Focus' });
    for (let number = 0; number < 51; number++)
      await makeLink(client, admin, { spaceId: id, sub: 'ada' });
    const root = `${service.url}/console/spaces/${id}`;
    const { page, assertClean } = await openConsole(t, browser, `${root}/settings`);
    await signInToConsole(page);
    const focused = page.locator(':focus');
    await page.getByLabel('Name').first().fill('Focused');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Save', exact: true }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    assert.equal(await focused.innerText(), 'Save');
    await page.goto(`${root}/links?sub=ada`);
    await page.getByRole('button', { name: 'Revoke all links of this person' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke all' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused.innerText(), 'Revoke all links of this person');
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'First page' }).waitFor();
    assert.equal(await focused.getAttribute('id'), 'main');
    await untilLoaded(page);
    assertClean();
  });

  test('a button that the keyboard has pressed keeps the focus while its action runs', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Pressed' });
    const { json } = await client(`/spaces/${id}/subscriptions`, {
      as: admin,
      body: { url: 'https://shop.example/hooks/orders' },
    });
    const path = `${service.url}/console/spaces/${id}/subscriptions/${json['id']}`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const pause = page.getByRole('button', { name: 'Pause' });
    const isHeld = Promise.withResolvers<void>();
    await page.route(`**/subscriptions/${json['id']}`, async (route) => {
      if (route.request().method() === 'PATCH') await isHeld.promise;
      await route.continue();
    });
    await pause.press('Enter');
    await page.locator('button[aria-disabled=true]').waitFor();
    isHeld.resolve();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    assert.equal(await page.locator(':focus').innerText(), 'Resume');
    assertClean();
  });

  test('nothing moves for people who prefer reduced motion, not even a dialog that opens', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Calm' });
    const path = `${service.url}/console/spaces/${id}/links`;
    const running = `document.getAnimations().length`;
    for (const [reducedMotion, expected] of [
      ['no-preference', 1],
      ['reduce', 0],
    ] as const) {
      const { page } = await openConsole(t, browser, path, { reducedMotion });
      await signInToConsole(page);
      await page.getByLabel('Person (sub)').waitFor();
      // The skip link slides in where motion is welcome.
      const focus = `document.querySelector('.skip').focus()`;
      assert.equal(await page.evaluate(`${focus}, ${running}`), expected, reducedMotion);
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
      if (expected === 0) assert.equal(await page.evaluate(running), 0);
    }
  });

  test('the header never covers the focused element, not even with a zoom of 400 percent', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Zoomed' });
    for (const [width, height] of [
      [1280, 800],
      [640, 400],
      [320, 256],
    ] as const) {
      const path = `${service.url}/console/spaces/${id}/links/new`;
      const { page } = await openConsole(t, browser, path, { viewport: { width, height } });
      await signInToConsole(page);
      const focused = page.locator('main :focus');
      await page.getByRole('button', { name: 'Create' }).focus();
      for (let step = 0; step < 7; step++) {
        const box = await focused.boundingBox();
        const header = await page.getByRole('banner').boundingBox();
        assert.ok(box && header && box.y >= header.y + header.height, `${width}: step ${step}`);
        await page.keyboard.press('Shift+Tab');
      }
    }
  });

  test('the page of an unknown resource has a heading and says what is wrong', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Unknown' });
    const root = `${service.url}/console/spaces/${id}`;
    const { page, assertClean } = await openConsole(t, browser, root);
    await signInToConsole(page);
    for (const path of [
      ...['links', 'documents', 'crawls', 'projections', 'conversations', 'subscriptions'].map(
        (kind) => `${root}/${kind}/unknown`,
      ),
      `${root}/subscriptions/unknown/deliveries/unknown`,
      `${service.url}/console/spaces/unknown`,
      `${service.url}/console/spaces/unknown/settings`,
      `${service.url}/console/users/unknown`,
    ]) {
      await page.goto(path);
      await page.getByRole('alert').first().waitFor();
      const headings = page.getByRole('main').getByRole('heading', { level: 1 });
      assert.deepEqual(await headings.allInnerTexts(), ['This page cannot be shown'], path);
    }
    await assertAccessible(page);
    await page.goto(`${root}/nothing`);
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
    await assertAccessible(page);
    assertClean();
  });

  test('a lost connection is announced, and the page is loaded again when it is back', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Offline' });
    const path = `${service.url}/console/spaces/${id}/links`;
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByText('A link opens the assistant').waitFor();
    await page.context().setOffline(true);
    await page.getByText('The connection is lost.').waitFor();
    await assertAccessible(page);
    await makeLink(client, admin, { spaceId: id, sub: 'ada' });
    await page.context().setOffline(false);
    await page.getByText('The connection is back.').waitFor();
    await page.getByRole('link', { name: 'ada' }).waitFor();
  });

  test('what the user has typed stays while the data of the page cannot be loaded again', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Typing' });
    const document = await addDocument(client, admin, id, { fileName: 'a.txt', text: 'A text.' });
    const path = `${service.url}/console/spaces/${id}/documents/${document.id}`;
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByLabel('Title').fill('Typed');
    await page.context().setOffline(true);
    await page.getByText('The connection is lost.').waitFor();
    const failed = page.waitForEvent('requestfailed', (request) =>
      request.url().endsWith(document.id),
    );
    await page.route(`**/documents/${document.id}`, (route) => route.abort());
    await page.context().setOffline(false);
    await failed;
    await page.getByText('The connection is lost.').waitFor();
    await page.unrouteAll();
    await page.getByText('The connection is back.').waitFor();
    assert.equal(await page.getByLabel('Title').inputValue(), 'Typed');
  });

  test('a page and a list that a busy service did not load can be loaded again', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Busy' });
    const document = await addDocument(client, admin, id, { fileName: 'a.txt', text: 'A text.' });
    const path = `${service.url}/console/spaces/${id}/documents`;
    const { page } = await openConsole(t, browser, service.url);
    await signInToConsole(page);
    let isBusy = true;
    await page.route(/\/documents(\?|\/[^/]+$)/, (route) => {
      const json = { message: 'The service is overloaded. Retry later.', code: 'http.overloaded' };
      return isBusy && route.request().resourceType() === 'fetch'
        ? route.fulfill({ status: 503, headers: { 'retry-after': '0' }, json })
        : route.continue();
    });
    for (const part of ['', `/${document.id}`]) {
      isBusy = true;
      await page.goto(`${path}${part}`);
      const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' });
      await retry.waitFor();
      await assertAccessible(page);
      await retry.press('Enter');
      await page.getByRole('alert').waitFor();
      isBusy = false;
      await retry.press('Enter');
      await page.getByText('a.txt').first().waitFor();
      assert.equal(await page.locator(':focus').getAttribute('id'), 'main');
    }
  });

  test('a list for which no response arrives in time can be loaded again', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Silent' });
    const { page } = await openConsole(t, browser, service.url);
    await signInToConsole(page);
    await page.clock.install();
    const isList = (url: URL) => url.pathname === `/spaces/${id}/documents`;
    await page.route(isList, () => {});
    await page.goto(`${service.url}/console/spaces/${id}/documents`);
    await page.getByText('Drop files here').waitFor();
    const alert = page.getByRole('alert');
    while (!(await alert.isVisible())) await page.clock.fastForward(61_000);
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Drop files on the area above').waitFor();
  });

  test('an editor of a space that a busy service did not load can load it again', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Unknown rights' });
    const { page } = await openConsole(t, browser, service.url);
    await signInToConsole(page);
    const isSpace = (url: URL) => url.pathname === `/spaces/${id}`;
    const json = { message: 'The service is overloaded. Retry later.', code: 'http.overloaded' };
    await page.route(isSpace, (route) =>
      route.fulfill({ status: 503, headers: { 'retry-after': '0' }, json }),
    );
    await page.goto(`${service.url}/console/spaces/${id}/documents`);
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Drop files here').waitFor();
    await page.getByRole('link', { name: 'API keys' }).waitFor();
  });

  test('a page says that it is loading, and that a file of it is missing after an upgrade', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Upgraded' });
    const { page } = await openConsole(t, browser, `${service.url}/console/spaces/${id}/links`);
    await signInToConsole(page);
    await page.getByText('A link opens the assistant').waitFor();
    const isHeld = Promise.withResolvers<void>();
    await page.route('**/keys-page-*.js', async (route) => {
      await isHeld.promise;
      await route.fulfill({ status: 404 });
    });
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('main').getByText('Loading…').waitFor();
    assert.equal(await page.getByRole('heading', { level: 1 }).count(), 0);
    isHeld.resolve();
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
    await assertAccessible(page);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Your backend sends an API key').waitFor();
  });

  test('a file of a page that a lost connection has stopped is loaded when it is back', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Stopped' });
    const { page } = await openConsole(t, browser, `${service.url}/console/spaces/${id}/links`);
    await signInToConsole(page);
    await page.getByText('A link opens the assistant').waitFor();
    await page.route(/keys-page-|healthz/, (route) => route.abort());
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('The connection is lost.').waitFor();
    await page.unrouteAll();
    await page.getByText('Your backend sends an API key').waitFor();
  });

  test('a request that fails because of the connection is repeated when it is back', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Broken' });
    const root = `${service.url}/console/spaces/${id}`;
    const { page } = await openConsole(t, browser, `${root}/links`);
    await signInToConsole(page);
    await page.getByText('A link opens the assistant').waitFor();
    await page.route(/\/(api-keys|healthz)/, (route) => route.abort());
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('The connection is lost.').waitFor();
    await page.unrouteAll();
    await page.getByText('Your backend sends an API key').waitFor();
  });
});
