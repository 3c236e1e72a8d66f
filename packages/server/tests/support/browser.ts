import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

const executablePath = process.env['GATEHOUSE_TEST_CHROMIUM'] ?? '/usr/bin/chromium';

/** Why tests in a browser are not run, or false. */
export const skip = existsSync(executablePath)
  ? false
  : `no browser at ${executablePath}; set GATEHOUSE_TEST_CHROMIUM`;

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function openBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...ARGS, ...args] });
}

/** A browser with settings of its user, as its file of preferences has them. */
export async function openProfile(directory: string, preferences: object): Promise<BrowserContext> {
  mkdirSync(join(directory, 'Default'), { recursive: true });
  writeFileSync(join(directory, 'Default', 'Preferences'), JSON.stringify(preferences));
  return chromium.launchPersistentContext(directory, { executablePath, args: ARGS });
}

export interface Visit {
  readonly page: Page;
  /** What the browser reported: broken policies and uncaught errors. */
  readonly problems: string[];
  /** The addresses of all requests. */
  readonly requests: string[];
}

/** A page of its own, in a profile of its own, that is closed with the test. */
export async function visit(
  t: TestContext,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 420, height: 680 }, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (line) => {
    if (/Content.Security.Policy|Refused to/i.test(line.text())) problems.push(line.text());
  });
  context.on('request', (request) => requests.push(request.url()));
  return { page, problems, requests };
}

/** Takes the connection away; resolves when nothing of the page gets through any more. */
export async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  // The browser says so at once, but requests go another way than what it was told.
  await page.evaluate(async () => {
    while (await isThrough()) await new Promise((resolve) => setTimeout(resolve, 10));
    function isThrough() {
      return fetch('/healthz').then(
        () => true,
        () => false,
      );
    }
  });
}
