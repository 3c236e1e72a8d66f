import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole } from '../support/browser/console.ts';
import { makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { ADMIN } from '../support/services/service.ts';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('the languages of the console', { skip }, () => {
  const browser = browserOfThisFile();

  test('shows the language of the browser, and formats times and numbers in it', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Laden' });
    await makeLink(client, admin, { spaceId: id, sub: 'ada' });
    const path = `${service.url}/console/spaces/${id}/links`;
    const { page, assertClean } = await openConsole(t, browser, path, { locale: 'de-AT' });
    await page.getByLabel('E-Mail-Adresse').fill(ADMIN.email);
    await page.getByLabel('Passwort').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByRole('heading', { name: 'Links' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'de');
    const created = page.getByRole('row', { name: /ada/ }).locator('time').first();
    assert.match(await created.innerText(), /^\d\d\.\d\d\.\d{4}, \d\d:\d\d$/);
    await assertAccessible(page);
    assertClean();
  });

  test('Arabic pages show JSON, English names and English errors from left to right', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Shop' });
    const path = `${service.url}/console/spaces/${id}/links/new`;
    const { page } = await openConsole(t, browser, path, { locale: 'ar' });
    await page.getByLabel('عنوان البريد الإلكتروني').fill(ADMIN.email);
    await page.getByLabel('كلمة المرور').fill(ADMIN.password);
    await page.getByRole('button', { name: 'تسجيل الدخول' }).click();
    const directionOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).direction`);
    await page.locator('textarea.mono').waitFor();
    assert.equal(await directionOf('textarea.mono'), 'ltr');
    assert.equal(await directionOf('header .where'), 'ltr');
    assert.equal(await directionOf('main'), 'rtl');
    await page.goto(path.replace('/new', `/${id}`));
    await page.getByRole('alert').waitFor();
    assert.equal(await directionOf('[role=alert] p > *'), 'ltr');
  });

  test('Arabic pages show the asterisk at the end of a pattern', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Patterns' });
    const { json } = await client(`/spaces/${id}/subscriptions`, {
      as: admin,
      body: { url: 'https://shop.example/', types: ['example.order.*'] },
    });
    const path = `${service.url}/console/spaces/${id}/subscriptions`;
    const { page } = await openConsole(t, browser, path, { locale: 'ar' });
    await page.getByLabel('عنوان البريد الإلكتروني').fill(ADMIN.email);
    await page.getByLabel('كلمة المرور').fill(ADMIN.password);
    await page.getByRole('button', { name: 'تسجيل الدخول' }).click();
    await page.getByRole('link', { name: 'https://shop.example/' }).waitFor();
    const bidi = "getComputedStyle(document.querySelector('main form input')).unicodeBidi";
    assert.equal(await page.evaluate(bidi), 'plaintext');
    await page.goto(`${path}/${json['id']}`);
    await page.getByText('example.order.*').first().waitFor();
    const isAtTheEnd = `(() => {
      const texts = document.createTreeWalker(document.querySelector('main dl'), NodeFilter.SHOW_TEXT);
      while (!texts.nextNode().data.includes('example.order.*'));
      const { currentNode } = texts;
      const leftOf = (sign) => {
        const range = document.createRange();
        const start = currentNode.data.indexOf(sign);
        range.setStart(currentNode, start);
        range.setEnd(currentNode, start + 1);
        return range.getBoundingClientRect().left;
      };
      return leftOf('*') > leftOf('example');
    })()`;
    assert.equal(await page.evaluate(isAtTheEnd), true);
    await page.goto(path.replace('subscriptions', 'crawls'));
    const example = page.getByPlaceholder('https://shop.example/help/');
    assert.match(String(await example.getAttribute('placeholder')), /^\u2068.*\u2069$/);
  });

  test('keeps the choice of another language, and shows Arabic from right to left', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Shop' });
    const path = `${service.url}/console/spaces/${id}`;
    const { page, assertClean } = await openConsole(t, browser, path, {
      viewport: { width: 390, height: 800 },
    });
    await page.getByLabel('Language').selectOption('العربية');
    await page.getByLabel('عنوان البريد الإلكتروني').fill(ADMIN.email);
    await page.getByLabel('كلمة المرور').fill(ADMIN.password);
    await page.getByRole('button', { name: 'تسجيل الدخول' }).click();
    await page.getByRole('button', { name: 'القائمة' }).click();
    await page.getByRole('link', { name: 'مفاتيح API' }).click();
    await page.getByRole('heading', { name: 'مفتاح جديد' }).waitFor();
    await assertAccessible(page);
    await page.reload();
    await page.getByRole('heading', { name: 'مفتاح جديد' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.dir'), 'rtl');
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    assertClean();
  });
});
