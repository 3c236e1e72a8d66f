import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { goOffline, skip, visit } from '../support/browser/browser.ts';
import { framing, openHost } from '../support/browser/host-page.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';

const EXCHANGE = '**/assistant-link/exchange';
const soon = () => Math.floor(Date.now() / 1000) + 2;
const expired = { timeout: 20_000 };

describe('a user who opens a link', { skip }, () => {
  const shop = shopOfThisFile();

  const shows = (page: Pick<Page, 'getByRole'>, heading: string) =>
    page.getByRole('heading', { name: heading }).waitFor(expired);

  test('sees the title, texts and theme of the link', async (t) => {
    const { page, problems } = await visit(t, shop().browser);
    const { url, token } = await shop().newLink({
      widget: {
        title: 'Hilfe \u2069<b>im</b> \u202eLaden',
        greeting: 'Guten Tag!\n\u202eWas suchen Sie?',
        placeholder: 'Na, was?',
        suggestions: ['Wo ist \u202emein Paket?', '<img src=x onerror=alert(1)>'],
        theme: { accent: '#b3005e', mode: 'light', radius: 4, font: 'serif' },
        locale: 'de-AT',
      },
    });
    await page.goto(url);
    await shows(page, 'Hilfe <b>im</b> Laden');
    assert.equal(await page.title(), 'Hilfe <b>im</b> Laden');
    const greeting = page.getByText('Guten Tag!');
    assert.equal(await greeting.textContent(), 'Guten Tag!\nWas suchen Sie?');
    assert.equal(await greeting.getAttribute('lang'), 'de-AT');
    assert.equal(await page.getByRole('textbox').getAttribute('placeholder'), 'Na, was?');
    await page.getByRole('button', { name: 'Wo ist mein Paket?', exact: true }).waitFor();
    await page.getByRole('button', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    assert.equal(await page.locator('img, b').count(), 0);
    const heading = page.getByRole('heading', { level: 1 });
    assert.equal(await styleOf(heading, 'border-left-color'), 'rgb(179, 0, 94)');
    assert.equal(await styleOf(heading, 'font-family'), 'serif');
    assert.equal((await page.locator('html').innerHTML()).includes(token), false);
    assert.deepEqual(problems, []);
  });

  test('sees the bot of the space in dark mode if the theme is invalid', async (t) => {
    const { page, problems } = await visit(t, shop().browser, { colorScheme: 'dark' });
    const theme = { accent: 'red;}*{display:none', radius: '1e9px;', font: 'a;}', mode: 'sepia' };
    await page.goto((await shop().newLink({ widget: { theme } })).url);
    await shows(page, 'Shop assistant');
    await page.getByText('Hello!').waitFor();
    assert.equal(await styleOf(page.locator('body'), 'background-color'), 'rgb(22, 24, 29)');
    assert.deepEqual(problems, []);
  });

  test('sees the title of the bot and only valid suggestions if the texts of the link are unusable', async (t) => {
    const { page, problems } = await visit(t, shop().browser);
    const endless = Array.from({ length: 5000 }, (_, at) => `Question ${at}?`);
    const suggestions = ['', ' ', 'with \0', 'x'.repeat(4001), 'twice', 'twice', ...endless];
    const widget = { title: ' ', placeholder: 'p '.repeat(5000), suggestions };
    await page.goto((await shop().newLink({ widget })).url);
    await shows(page, 'Shop assistant');
    assert.equal(await page.title(), 'Shop assistant');
    const shown = await page
      .getByRole('region', { name: 'Suggested questions' })
      .getByRole('button')
      .allTextContents();
    assert.equal(shown.length, 10);
    assert.deepEqual(shown.slice(0, 3), ['twice', 'twice', 'Question 0?']);
    await page.goto((await shop().newLink({ widget: { title: 'T'.repeat(50_000) } })).url);
    await shows(page, 'TTTT');
    assert.equal((await page.title()).length, 200);
    assert.deepEqual(problems, []);
  });

  test('sees that a link has expired and sees a sign-in button', async (t) => {
    const { service, browser, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    const { url } = await newLink({ exp: soon(), loginUrl: '/login?a=b' });
    await page.waitForTimeout(2500);
    await page.goto(url);
    await shows(page, 'This link has expired');
    const button = page.getByRole('link', { name: 'Sign in again' });
    assert.equal(await button.getAttribute('href'), `${service.url}/login?a=b`);
    assert.equal(await button.getAttribute('target'), '_top');
    await page.keyboard.press('Tab');
    assert.equal(await button.evaluate((a) => a.matches(':focus-visible')), true);
    await button.click();
    await page.waitForURL(`${service.url}/login?a=b`);
    assert.deepEqual(problems, []);
  });

  test('sees that a link has been revoked', async (t) => {
    const { page, problems } = await visit(t, shop().browser);
    const link = await shop().newLink();
    await shop().revoke(link);
    await page.goto(link.url);
    await shows(page, 'This link has been revoked');
    assert.equal(await page.getByRole('link').count(), 0);
    assert.equal(await page.getByRole('textbox').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('sees that an unknown link is not valid', async (t) => {
    const { page, problems } = await visit(t, shop().browser);
    await page.goto(`${shop().service.url}/widget/${'A'.repeat(42)}%22`);
    await shows(page, 'This link is not valid');
    assert.deepEqual(problems, []);
  });

  test('sees that the link has been revoked during a conversation, and no longer sees the messages', async (t) => {
    const { browser, model, newLink, revoke } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    const link = await newLink();
    await page.goto(link.url);
    await ask(page, 'How long does a refund take?', 'five days');
    await revoke(link);
    const seen = model.requests.length;
    await ask(page, 'And now?');
    await shows(page, 'This link has been revoked');
    assert.equal(await page.getByText('five days').count(), 0);
    assert.equal(model.requests.length, seen);
    assert.deepEqual(problems, []);
  });

  test('writes and sends a question before the link has opened', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    const exchange = await holdExchange(page);
    await page.goto((await newLink()).url, { waitUntil: 'commit' });
    await page.getByRole('textbox').fill('How long does a refund take?');
    await page.keyboard.press('Enter');
    exchange.release();
    await page.getByRole('article').getByText('How long does a refund take?').waitFor();
    await page.getByRole('article').getByText('five days').waitFor();
    assert.equal(await page.getByRole('textbox').inputValue(), '');
    assert.equal(await page.getByRole('article').count(), 2);
    assert.deepEqual(problems, []);
  });

  test('keeps the text field with its text, selection and focus when the link opens', async (t) => {
    const { page, problems } = await visit(t, shop().browser);
    const exchange = await holdExchange(page);
    await page.goto((await shop().newLink()).url);
    const field = await page.getByRole('textbox').elementHandle();
    assert.ok(field);
    await field.fill('How long');
    await page.keyboard.press('Home');
    await page.waitForTimeout(1500);
    // While the field has no focus, the keys of a person who is typing are lost.
    await page.evaluate(
      "window.focusLosses = 0; addEventListener('focusout', () => { focusLosses += 1; })",
    );
    exchange.release();
    await page.getByText('Hello!').waitFor();
    assert.equal(await page.evaluate('focusLosses'), 0);
    await page.keyboard.type('So ');
    assert.equal(await field.inputValue(), 'So How long');
    assert.equal(await page.locator('textarea, form, header, main').count(), 4);
    assert.deepEqual(problems, []);
  });

  test('sees that an untouched link is still opening after a second, and keeps a text if the exchange fails', async (t) => {
    const { page } = await visit(t, shop().browser);
    const { url } = await shop().newLink();
    const first = await holdExchange(page);
    await page.goto(url);
    await page.getByText('Just a moment…').waitFor();
    first.release();
    await page.getByText('Hello!').waitFor();
    const second = await holdExchange(page);
    await page.goto(url);
    await page.getByRole('textbox').fill('How long?');
    second.fail();
    await shows(page, 'No connection');
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('Hello!').waitFor();
    assert.equal(await page.getByRole('textbox').inputValue(), 'How long?');
  });

  test('sees a notice while the service is busy or unreachable, and then sees the chat without a reload', async (t) => {
    const { page } = await visit(t, shop().browser);
    await page.clock.install();
    const { url } = await shop().newLink();
    await page.route(EXCHANGE, (request) => request.abort());
    await page.goto(url);
    await shows(page, 'No connection');
    await page.unroute(EXCHANGE);
    await page.route(EXCHANGE, (request) =>
      request.fulfill({ status: 429, headers: { 'retry-after': '7' }, json: {} }),
    );
    await page.getByRole('button', { name: 'Retry now' }).click();
    await shows(page, 'Please wait a moment');
    await page.unroute(EXCHANGE);
    await page.clock.fastForward(7000);
    await shows(page, 'Shop assistant');
  });

  test('sees a notice if the service never responds to a request', async (t) => {
    const { page } = await visit(t, shop().browser);
    await page.clock.install();
    const { url } = await shop().newLink();
    await page.route(EXCHANGE, () => {});
    const sent = page.waitForRequest(EXCHANGE);
    await page.goto(url);
    await sent;
    await page.clock.fastForward(20_000);
    await shows(page, 'No connection');
    await page.unroute(EXCHANGE);
    await page.getByRole('button', { name: 'Retry now' }).click();
    await shows(page, 'Shop assistant');
  });

  test('waits at most one hour for an automatic retry, even if Retry-After is longer', async (t) => {
    const { page, requests } = await visit(t, shop().browser);
    const exchanges = () => requests.filter((url) => url.endsWith('/exchange')).length;
    await page.clock.install();
    await page.route(EXCHANGE, (request) =>
      request.fulfill({ status: 503, headers: { 'retry-after': '3000000' }, json: {} }),
    );
    await page.goto((await shop().newLink()).url);
    await shows(page, 'Please wait a moment');
    await page.clock.runFor(10_000);
    assert.equal(exchanges(), 1);
    const asked = page.waitForRequest(EXCHANGE);
    await page.clock.fastForward(3_600_000);
    await asked;
  });

  test('sees the answer stop when the link is revoked while it streams', async (t) => {
    const { browser, model, newLink, revoke } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave({ does: 'stall', pieces: ['Refunds take'] });
    const link = await newLink();
    await page.goto(link.url);
    await ask(page, 'How long does a refund take?');
    await page.getByRole('article').getByText('Refunds take').waitFor();
    await revoke(link);
    await shows(page, 'This link has been revoked');
    assert.equal(await page.getByText('Refunds take').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('sees that the connection is lost during the conversation and can continue after it is restored', async (t) => {
    const { browser, model, newLink } = shop();
    const { page } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await goOffline(page);
    await page.getByRole('status').getByText('You are offline.').waitFor();
    await ask(page, 'And a parcel?');
    await page.getByRole('alert').getByText('No connection. Please try again.').waitFor();
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('article').nth(3).getByText('five days').waitFor();
    assert.equal(await page.getByRole('article').count(), 4);
  });

  test('sees that the connection is lost before the first answer', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await page.getByText('Hello!').waitFor();
    await goOffline(page);
    await ask(page, 'How long does a refund take?');
    await page.getByRole('alert').getByText('No connection. Please try again.').waitFor();
    assert.equal(await page.getByRole('article').last().getAttribute('aria-busy'), 'false');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('article').getByText('five days').waitFor();
    assert.deepEqual(problems, []);
  });

  test('continues the conversation while sessions are renewed, and sees when the link ends', async (t) => {
    const { browser, model, newLink, revoke } = shop();
    const { page, problems, requests } = await visit(t, browser);
    model.behave(REFUND);
    await page.clock.install();
    const link = await newLink();
    const exchanges = () => requests.filter((url) => url.endsWith('/exchange')).length;
    await page.goto(link.url);
    await ask(page, 'How long does a refund take?');
    await page.getByRole('article').last().getByText('five days').waitFor();
    await page.clock.fastForward(715_000);
    assert.equal(exchanges(), 1);
    const renewed = page.waitForResponse(EXCHANGE);
    await page.clock.fastForward(10_000);
    await renewed;
    await page.getByRole('article').last().getByText('five days').waitFor();
    await revoke(link);
    const refused = page.waitForResponse(EXCHANGE);
    await page.clock.fastForward(720_000);
    await refused;
    await shows(page, 'This link has been revoked');
    await page.clock.fastForward(3_600_000);
    assert.equal(exchanges(), 3);
    assert.deepEqual(problems, []);
  });

  test('sees the chat in a page of an allowed origin and can sign in at that page', async (t) => {
    const { browser, newLink, allow } = shop();
    await using host = await openHost();
    await allow(host.origin);
    const { page, problems } = await visit(t, browser);
    // The chat must load before the link expires.
    const exp = Math.floor(Date.now() / 1000) + 10;
    const { url } = await newLink({ exp, loginUrl: '/login' });
    await page.goto(host.add({ body: framing(url) }));
    const frame = page.frameLocator('iframe');
    await shows(frame, 'Shop assistant');
    await page.waitForTimeout(exp * 1000 - Date.now() + 500);
    await page.reload();
    await shows(frame, 'This link has expired');
    await frame.getByRole('link', { name: 'Sign in again' }).click();
    await page.waitForURL(`${host.origin}/login`);
    assert.deepEqual(problems, []);
  });

  test('sees no sign-in button if the login URL is relative and the embedding page is unknown', async (t) => {
    const { browser, newLink, allow, revoke } = shop();
    await using host = await openHost();
    await allow(host.origin);
    const { page, problems } = await visit(t, browser);
    const link = await newLink({ loginUrl: '/login' });
    await revoke(link);
    await page.goto(host.add({ body: framing(link.url, 'referrerpolicy="no-referrer"') }));
    const frame = page.frameLocator('iframe');
    await shows(frame, 'This link has been revoked');
    await frame.getByText('Please request a new link.').waitFor();
    assert.equal(await frame.getByRole('link').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('sees no chat in a page of a forbidden origin', async (t) => {
    await using host = await openHost();
    const { page, problems } = await visit(t, shop().browser);
    await page.goto(host.add({ body: framing((await shop().newLink()).url) }));
    while (problems.length === 0) await page.waitForTimeout(20);
    assert.match(problems.join(), /frame-ancestors/);
    assert.equal(await page.frameLocator('iframe').getByRole('textbox').count(), 0);
  });
});

/** Holds the next exchange of a page until `release` or `fail` is called. */
async function holdExchange(page: Page) {
  const held = Promise.withResolvers<'continue' | 'abort'>();
  await page.route(EXCHANGE, async (request) => request[await held.promise](), { times: 1 });
  return { release: () => held.resolve('continue'), fail: () => held.resolve('abort') };
}

function styleOf(locator: Locator, property: string): Promise<string> {
  return locator.evaluate(
    (node, name) => node.ownerDocument.defaultView.getComputedStyle(node).getPropertyValue(name),
    property,
  );
}
