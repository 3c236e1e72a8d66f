import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { type Gate, SHOP } from '../links/gate.suite.ts';
import { openWidget } from './widget.suite.ts';

const executablePath = process.env['GATEHOUSE_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
const skip = existsSync(executablePath)
  ? false
  : `no browser at ${executablePath}; set GATEHOUSE_TEST_CHROMIUM`;
if (skip !== false) console.warn(`SKIPPED: the widget page in a browser: ${skip}`);

const ARGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
/** Where screenshots go, to be looked at; none are made without it. */
const shots = process.env['GATEHOUSE_TEST_SCREENSHOTS'];

describe('a person who opens a link', { skip }, () => {
  let gate: Gate;
  let browser: Browser;
  let base: string;
  before(async () => {
    gate = await openWidget();
    await gate.app.listen({ port: 0, host: '127.0.0.1' });
    base = `http://127.0.0.1:${(gate.app.server.address() as AddressInfo).port}`;
    browser = await chromium.launch({ executablePath, args: ARGS.split(' ') });
  });
  after(async () => {
    await browser?.close();
    await gate[Symbol.asyncDispose]();
  });

  /** A page that fails the test when the browser reports a broken policy or an uncaught error. */
  async function newPage(t: TestContext, options: Parameters<Browser['newPage']>[0] = {}) {
    const page = await browser.newPage({ viewport: { width: 420, height: 620 }, ...options });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (line) => {
      if (/Content.Security.Policy|Refused to/i.test(line.text())) problems.push(line.text());
    });
    t.after(async () => {
      if (shots !== undefined)
        await page.screenshot({ path: `${shots}/${t.name.replaceAll(/\W+/g, '-')}.png` });
      await page.close();
    });
    return { page, problems };
  }

  const heading = (page: Pick<Page, 'locator'>) => page.locator('h1');
  const revoke = async (id: string) =>
    gate.app.inject({
      method: 'DELETE',
      url: `/assistant-link/${id}`,
      headers: await gate.asUser('editor'),
    });

  async function shows(page: Pick<Page, 'locator'>, title: string): Promise<void> {
    await heading(page).filter({ hasText: title }).waitFor({ timeout: 10_000 });
  }

  test('meets the assistant as the link presents it', async (t) => {
    const { page, problems } = await newPage(t);
    const { token } = await gate.newLink({
      widget: {
        title: 'Hilfe <b>im</b> Laden',
        greeting: 'Guten Tag!\nWas suchen Sie?',
        suggestions: ['Wo ist mein Paket?', '<img src=x onerror=alert(1)>'],
        theme: { accent: '#b3005e', mode: 'light' },
        locale: 'de-AT',
      },
    });
    await page.goto(`${base}/widget/${token}`);
    await shows(page, 'Hilfe <b>im</b> Laden');
    assert.equal(await page.title(), 'Hilfe <b>im</b> Laden');
    await page.getByRole('heading', { level: 2, name: 'Shop assistant' }).waitFor();
    assert.equal(await page.getByRole('status').textContent(), 'Guten Tag!\nWas suchen Sie?');
    assert.equal(await page.getByRole('status').getAttribute('lang'), 'de-AT');
    assert.deepEqual(await page.getByRole('listitem').allTextContents(), [
      'Wo ist mein Paket?',
      '<img src=x onerror=alert(1)>',
    ]);
    assert.equal(await page.locator('main img, main b').count(), 0);
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
    const accent = await styleOf(heading(page), 'border-left-color');
    assert.equal(accent, 'rgb(179, 0, 94)');
    assert.equal((await page.locator('html').innerHTML()).includes(token), false);
    assert.deepEqual(problems, []);
  });

  test('meets the bot of the space in the dark', async (t) => {
    const { page, problems } = await newPage(t, { colorScheme: 'dark' });
    const { token } = await gate.newLink({ widget: { theme: { accent: 'red;}*{display:none' } } });
    await page.goto(`${base}/widget/${token}`);
    await shows(page, 'Shop assistant');
    assert.equal(await page.getByRole('status').textContent(), 'Hello!');
    const ground = await styleOf(page.locator('body'), 'background-color');
    assert.equal(ground, 'rgb(22, 24, 29)');
    assert.deepEqual(problems, []);
  });

  test('learns that a link has expired, and where to sign in', async (t) => {
    const start = gate.now;
    t.after(() => {
      gate.now = start;
    });
    const { page, problems } = await newPage(t);
    const { token } = await gate.newLink({ ttlSeconds: 60, loginUrl: '/login?a=b' });
    gate.now = start + 60_000;
    await page.goto(`${base}/widget/${token}`);
    await shows(page, 'This link has expired');
    const button = page.getByRole('link', { name: 'Sign in again' });
    assert.equal(await button.getAttribute('href'), `${base}/login?a=b`);
    assert.equal(await button.getAttribute('target'), '_top');
    await page.keyboard.press('Tab');
    assert.equal(await button.evaluate((a) => a.matches(':focus-visible')), true);
    await button.click();
    await page.waitForURL(`${base}/login?a=b`);
    assert.deepEqual(problems, []);
  });

  test('learns that a link was revoked', async (t) => {
    const { page, problems } = await newPage(t);
    const { token, id } = await gate.newLink();
    await revoke(id);
    await page.goto(`${base}/widget/${token}`);
    await shows(page, 'This link was withdrawn');
    assert.equal(await page.getByRole('link').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('learns that nobody knows a link', async (t) => {
    const { page, problems } = await newPage(t);
    await page.goto(`${base}/widget/${'A'.repeat(42)}%22`);
    await shows(page, 'We do not know this link');
    assert.deepEqual(problems, []);
  });

  test('waits without doing anything while the service is busy or away', async (t) => {
    const { page } = await newPage(t);
    await page.clock.install();
    const { token } = await gate.newLink();
    const exchange = '**/assistant-link/exchange';
    await page.route(exchange, (request) => request.abort());
    await page.goto(`${base}/widget/${token}`);
    await shows(page, 'No connection');
    await page.unroute(exchange);
    await page.route(exchange, (request) =>
      request.fulfill({ status: 429, headers: { 'retry-after': '7' }, json: {} }),
    );
    await page.getByRole('button', { name: 'Try now' }).click();
    await shows(page, 'Please wait a moment');
    await page.unroute(exchange);
    await page.clock.fastForward(7000);
    await shows(page, 'Shop assistant');
  });

  test('stays in while the link lives, and learns when it ends', async (t) => {
    const { page, problems } = await newPage(t);
    await page.clock.install();
    const { token, id } = await gate.newLink();
    let exchanges = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/exchange')) exchanges += 1;
    });
    await page.goto(`${base}/widget/${token}`);
    await shows(page, 'Shop assistant');
    await page.clock.fastForward(719_000);
    assert.equal(exchanges, 1);
    const renewed = page.waitForResponse('**/assistant-link/exchange');
    await page.clock.fastForward(2000);
    await renewed;
    await shows(page, 'Shop assistant');
    await revoke(id);
    const refused = page.waitForResponse('**/assistant-link/exchange');
    await page.clock.fastForward(720_000);
    await refused;
    await shows(page, 'This link was withdrawn');
    await page.clock.fastForward(3_600_000);
    assert.equal(exchanges, 3);
    assert.deepEqual(problems, []);
  });

  test('sees it inside a page of an allowed origin, and signs in at that page', async (t) => {
    const start = gate.now;
    await using embedder = await embed();
    await allow(gate, embedder.origin);
    t.after(() => {
      gate.now = start;
    });
    const { page, problems } = await newPage(t);
    const { token } = await gate.newLink({ ttlSeconds: 60, loginUrl: '/login' });
    await page.goto(embedder.framing(`${base}/widget/${token}`));
    const frame = page.frameLocator('iframe');
    await shows(frame, 'Shop assistant');
    gate.now = start + 60_000;
    await page.reload();
    await shows(frame, 'This link has expired');
    await frame.getByRole('link', { name: 'Sign in again' }).click();
    await page.waitForURL(`${embedder.origin}/login`);
    assert.deepEqual(problems, []);
  });

  test('sees nothing inside a page of any other origin', async (t) => {
    await using embedder = await embed();
    const { page, problems } = await newPage(t);
    const { token } = await gate.newLink();
    await page.goto(embedder.framing(`${base}/widget/${token}`));
    while (problems.length === 0) await page.waitForTimeout(20);
    assert.match(problems.join(), /frame-ancestors/);
    assert.equal(
      await page.frameLocator('iframe').locator('h1').filter({ hasText: 'assistant' }).count(),
      0,
    );
  });
});

/** The value of a CSS property as the browser worked it out. */
function styleOf(place: Locator, property: string): Promise<string> {
  return place.evaluate(
    (node, name) => node.ownerDocument.defaultView.getComputedStyle(node).getPropertyValue(name),
    property,
  );
}

async function allow({ db }: Gate, origin: string): Promise<void> {
  await db.insertInto('space_origins').values({ space_id: SHOP, position: 1, origin }).execute();
}

interface Embedder extends AsyncDisposable {
  readonly origin: string;
  /** The address of a page that has this one in a frame. */
  framing(url: string): string;
}

/** A web site of somebody else, on a port and therefore an origin of its own. */
async function embed(): Promise<Embedder> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x').searchParams.get('frame') ?? 'about:blank';
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><title>Shop</title><iframe width="400" height="500" src="${url}">`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    framing: (url) => `${origin}/?frame=${encodeURIComponent(url)}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
