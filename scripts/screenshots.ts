// `npm run screenshots`: starts a service, takes screenshots of the widget in each of its states, and writes them to
// docs/screenshots.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContextOptions, devices, type Page } from 'playwright-core';
import {
  OPEN_SHADOWS,
  openHost,
  scriptTag,
} from '../packages/server/tests/support/browser/host-page.ts';
import { ask, openShop, REFUND } from '../packages/server/tests/support/browser/widget.ts';
import { STATES } from '../packages/server/tests/support/browser/widget-states.ts';

const FOLDER = join(import.meta.dirname, '../docs/screenshots');
const { defaultBrowserType: _, ...PHONE } = devices['iPhone SE'] ?? {};
const DESKTOP = { viewport: { width: 1100, height: 700 } };
const PAGE = ':root { color-scheme: light dark; font-family: sans-serif; }';
const PANEL = { viewport: { width: 420, height: 640 } };

mkdirSync(FOLDER, { recursive: true });
await using opened = new AsyncDisposableStack();
// In a process of its own, a frame would be drawn with half of the resolution of the phone.
const shop = await openShop(opened, ['--disable-site-isolation-trials']);
const host = opened.use(await openHost());
await shop.allow(host.origin);

for (const [state, reach] of Object.entries(STATES))
  for (const colorScheme of ['light', 'dark'] as const)
    await take(state, colorScheme, { ...PANEL, colorScheme }, (page) => reach(page, shop));

const rich = 'answer with Markdown';
const showRich = (page: Page) => STATES[rich]?.(page, shop) ?? Promise.resolve();
await take(rich, 'phone', PHONE, showRich);
await take(rich, 'wide', DESKTOP, showRich);

for (const mode of ['bubble', 'panel', 'inline']) {
  const embedded = `embedded ${mode}`;
  await take(embedded, 'light', DESKTOP, (page) => embed(page, mode));
  await take(embedded, 'dark', { ...DESKTOP, colorScheme: 'dark' }, (page) => embed(page, mode));
  await take(embedded, 'phone', PHONE, (page) => embed(page, mode));
}

/** Embeds the chat in a page, opens the chat and asks a question. */
async function embed(page: Page, mode: string): Promise<void> {
  const { token } = await shop.newLink();
  shop.model.behave(REFUND);
  const script = scriptTag(shop, `data-token="${token}" data-mode="${mode}"`);
  const body = `<h1>A shop</h1><p>With lamps, and a chat beside them.</p>${script}<p>More of the page.</p>`;
  await page.addInitScript(OPEN_SHADOWS);
  await page.goto(host.add({ body: `<style>${PAGE}</style>${body}` }));
  if (mode !== 'inline') await page.locator('gatehouse-chat [part="button"]').click();
  await ask(
    page.frameLocator('gatehouse-chat iframe'),
    'How long does a refund take?',
    'five days',
  );
}

async function take(
  state: string,
  variant: string,
  options: BrowserContextOptions,
  reach: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await shop.browser.newContext({ ...options, reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    await reach(page);
    const path = join(FOLDER, `${state.replaceAll(/[^a-z]+/gi, '-')}.${variant}.png`);
    await page.screenshot({ path });
    process.stdout.write(`${path}\n`);
  } finally {
    await context.close();
  }
}
