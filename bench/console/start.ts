// Claim: the console is usable within 500 ms on a CPU that is slowed down by a factor of four. For comparison, also opens a page with only a text
// field. Usable: the field for the address accepts input, or the first list is shown.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../../packages/server/tests/support/browser/browser.ts';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { makeLink } from '../../packages/server/tests/support/provision.ts';
import { ADMIN, temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { spread } from '../lib/spread.ts';

const options = numberOptions({ runs: 9, slowdown: 4 });
const VIEWPORT = { width: 1280, height: 800 };
/** Runs in the page. Changes are considered painted after two animation frames. */
const WATCH = `
window.usable = new Promise((resolve) => {
  const look = () => {
    if (!document.querySelector('READY')) requestAnimationFrame(look);
    else requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
  };
  look();
});
`;

using directory = temporaryDirectory();
await using service = await startProvisioned(directory.path);
const key = service.authorization.replace('Bearer ', '');
for (let count = 0; count < 50; count += 1)
  await makeLink(clientOf(service.url), key, { sub: `customer-${count}` });
const signedIn = await fetch(`${service.url}/console/session`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: service.url },
  body: JSON.stringify(ADMIN),
});
const [name = '', value = ''] = (signedIn.headers.get('set-cookie') ?? '').split(/[=;]/);
const cookie = { name, value, url: service.url };

const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><meta charset="utf-8"><title>x</title><input>');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const empty = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const root = `${service.url}/console`;
const pages = {
  'a page with only a text field': [empty, 'input', false],
  'sign-in': [root, 'input[type=email]', false],
  'list of spaces': [root, 'tbody tr', true],
  'list of links': [`${root}/spaces/${service.spaceId}/links`, 'tbody tr', true],
} as const;
const times: Record<string, number[]> = {};
const again: Record<string, number[]> = {};
const browser = await openBrowser();
for (let run = 0; run <= options.runs; run += 1)
  for (const [page, [url, ready, isSignedIn]] of Object.entries(pages)) {
    const opened = await open(browser, { url, ready, isSignedIn });
    // The first round is a warm-up.
    if (run === 0) continue;
    times[page] = [...(times[page] ?? []), opened.first];
    again[page] = [...(again[page] ?? []), opened.second];
  }
await browser.close();
server.close();

const summary = (all: Readonly<Record<string, readonly number[]>>) =>
  Object.fromEntries(Object.entries(all).map(([page, values]) => [page, spread(values)]));
report('time from the start of the navigation until the usable page is painted', {
  options,
  firstVisitMs: summary(times),
  secondVisitMs: summary(again),
  target: { usableMs: 500 },
});

interface Opened {
  readonly url: string;
  /** Selector of an element that exists when the page is usable. */
  readonly ready: string;
  readonly isSignedIn: boolean;
}

/** Opens a page twice in a new browser context. The second time, the files of the page are in the browser's cache. */
async function open(browser: Browser, { url, ready, isSignedIn }: Opened) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    if (isSignedIn) await context.addCookies([cookie]);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: options.slowdown });
    await page.addInitScript(WATCH.replace('READY', ready));
    const visit = async () => {
      await page.goto(url, { waitUntil: 'commit' });
      await page.waitForSelector(ready, { state: 'attached' });
      return Number(await page.evaluate('usable'));
    };
    return { first: await visit(), second: await visit() };
  } finally {
    await context.close();
  }
}
