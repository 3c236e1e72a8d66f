import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAllFiles, hasSeveralFiles } from '../after-all-files.ts';

const executablePath = process.env['GATEHOUSE_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
/** Chromium without windows. A page takes a fifth of the processor time that it takes in Chromium. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const withoutWindows =
  process.env['GATEHOUSE_TEST_CHROMIUM'] === undefined && existsSync(HEADLESS_SHELL)
    ? HEADLESS_SHELL
    : executablePath;

/** Skip reason of browser tests, or `false` if a browser is installed. */
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

/** The part of a browser that a visit needs. */
export type ContextSource = Pick<Browser, 'newContext'>;

let shared: Promise<Browser> | undefined;

/**
 * Opens a browser. Test files that run in the same process share a browser without additional arguments, which is closed after
 * the last file. Each test opens its own context (`visit`).
 */
export async function openBrowser(args: readonly string[] = []): Promise<Browser> {
  if (args.length > 0 || !hasSeveralFiles()) return launch(args);
  shared ??= launch();
  const browser = await shared;
  if (!browser.isConnected()) shared = launch();
  return shared;
}

/** Returns the browser of a test file. It is opened for the first page and closed after the tests. */
export function browserOfThisFile(): ContextSource {
  let opened: Promise<Browser> | undefined;
  after(async () => (await opened)?.close());
  return {
    newContext: async (options) => {
      opened ??= openBrowser();
      return (await opened).newContext(options);
    },
  };
}

async function launch(args: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: withoutWindows,
    args: [...ARGS, ...args],
  });
  if (args.length === 0 && hasSeveralFiles()) {
    const close = browser.close.bind(browser);
    browser.close = async () => {};
    afterAllFiles(close);
  }
  return browser;
}

/** Opens Chromium with preferences, which its variant without windows does not read. */
export async function openProfile(directory: string, preferences: object): Promise<BrowserContext> {
  mkdirSync(join(directory, 'Default'), { recursive: true });
  writeFileSync(join(directory, 'Default', 'Preferences'), JSON.stringify(preferences));
  return chromium.launchPersistentContext(directory, { executablePath, args: ARGS });
}

export interface Visit {
  readonly page: Page;
  /** Violations of the Content-Security-Policy and uncaught errors. */
  readonly problems: string[];
  readonly requests: string[];
}

/** Opens a page in a separate browser context, which is closed after the test. */
export async function visit(
  t: Pick<TestContext, 'after'>,
  browser: ContextSource,
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

/** Returns the position and size of an element in CSS pixels after its animations have ended. */
export async function settledBox(element: Locator) {
  await element.evaluate((node) =>
    Promise.all(node.getAnimations().map((one: { finished: Promise<unknown> }) => one.finished)),
  );
  return element.boundingBox();
}

/** Takes the page offline and resolves when requests of the page fail. */
export async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  // `setOffline` resolves before requests are blocked.
  await page.evaluate(async () => {
    while (await isReachable()) await new Promise((resolve) => setTimeout(resolve, 10));
    function isReachable() {
      return fetch('/healthz').then(
        () => true,
        () => false,
      );
    }
  });
}

/** Holds back requests whose URL matches a pattern until the returned promise is resolved, which then continue or fail. */
export async function holdRequests(
  page: Page,
  pattern: string,
  end: 'continue' | 'abort' = 'continue',
): Promise<PromiseWithResolvers<void>> {
  const held = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    await held.promise;
    await route[end]();
  });
  return held;
}
