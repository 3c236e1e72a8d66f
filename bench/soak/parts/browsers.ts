import type { Browser, Page } from 'playwright-core';
import {
  signInToConsole,
  untilLoaded,
} from '../../../packages/server/tests/support/browser/console.ts';
import { ask } from '../../../packages/server/tests/support/browser/widget.ts';
import { makeLink } from '../../../packages/server/tests/support/provision.ts';
import { oneByOne } from '../pace.ts';
import type { Replicas } from '../replicas.ts';
import { attempt, type Part, type Setting } from '../setting.ts';
import { sentence } from '../written.ts';

const WIDGET_PAUSE_MS = 10_000;
const CONSOLE_PAUSE_MS = 10_000;
/** Pages of a space in the console. The first one is the overview. */
const PAGES = [
  '',
  '/documents',
  '/links',
  '/events',
  '/conversations',
  '/subscriptions',
  '/crawls',
];
/** Index of the replica whose URL is `GATEHOUSE_BASE_URL`. Browsers use only this origin. */
const BASE = 0;

/** Asks questions in the widget and opens pages of the console in Chromium, while the first replica is in rotation. */
export async function startBrowsers(
  setting: Setting,
  replicas: Replicas,
  browser: Browser,
): Promise<Part> {
  const { client, key, space, signal, failures } = setting;
  const operator = await newPage(browser, failures);
  const home = `${replicas.url(BASE)}/console`;
  await operator.goto(home);
  await signInToConsole(operator);
  const counts = { widgetVisits: 0, consolePages: 0 };

  /** Runs work while the replica is in rotation. Does nothing while it restarts. */
  const whileServed = async (kind: string, work: () => Promise<void>) => {
    if (replicas.isInRotation(BASE)) await attempt(setting, kind, work);
  };

  async function useWidget(): Promise<void> {
    counts.widgetVisits += 1;
    const sub = `guest-${counts.widgetVisits}`;
    const { url } = await makeLink(client, key, { sub, permissionFilter: { team: { eq: 'a' } } });
    const page = await newPage(browser, failures);
    try {
      await page.goto(url);
      for (let asked = 0; asked < 2; asked += 1) {
        const question = `What about ${sentence(2)} ${asked}?`;
        await ask(page, question, `You asked: ${question}`);
      }
    } finally {
      await page.context().close();
    }
  }

  async function useConsole(): Promise<void> {
    const path = PAGES[counts.consolePages % PAGES.length] ?? '';
    counts.consolePages += 1;
    await operator.goto(`${home}/spaces/${space.id}${path}`);
    await untilLoaded(operator);
    const alerts = await operator.getByRole('alert').allInnerTexts();
    if (alerts.some((text) => text !== '')) throw new Error(`${path} shows ${alerts.join()}`);
  }

  return {
    run: async () => {
      await Promise.all([
        oneByOne(WIDGET_PAUSE_MS, signal, () => whileServed('visit of the widget', useWidget)),
        oneByOne(CONSOLE_PAUSE_MS, signal, () => whileServed('page of the console', useConsole)),
      ]);
    },
    // Each visit is checked at its end.
    check: async () => [],
    counts: () => counts,
  };
}

/** Opens a page in its own context. Records uncaught errors and violations of the Content-Security-Policy. */
async function newPage(browser: Browser, failures: string[]): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on('pageerror', (error) => failures.push(`browser: ${error}`));
  page.on('console', (line) => {
    if (/Content.Security.Policy|Refused to/i.test(line.text()))
      failures.push(`browser: ${line.text()}`);
  });
  return page;
}
