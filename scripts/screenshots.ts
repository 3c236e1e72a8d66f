// `npm run screenshots`: the widget in each of its states, for docs/screenshots, from the service itself.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContextOptions, devices } from 'playwright-core';
import { openShop, type Shop } from '../packages/server/tests/support/widget.ts';
import { STATES } from '../packages/server/tests/support/widget-states.ts';

const FOLDER = join(import.meta.dirname, '../docs/screenshots');
const { defaultBrowserType: _, ...PHONE } = devices['iPhone SE'] ?? {};
const PANEL = { viewport: { width: 420, height: 640 } };

mkdirSync(FOLDER, { recursive: true });
await using opened = new AsyncDisposableStack();
const shop = await openShop(opened);
for (const [state, reach] of Object.entries(STATES)) {
  await take(state, reach, 'light', { ...PANEL, colorScheme: 'light' });
  await take(state, reach, 'dark', { ...PANEL, colorScheme: 'dark' });
}
const RICH = 'an answer with all that Markdown has';
const rich = STATES[RICH];
if (rich !== undefined) {
  await take(RICH, rich, 'phone', PHONE);
  await take(RICH, rich, 'wide', { viewport: { width: 1100, height: 700 } });
}

async function take(
  state: string,
  reach: (typeof STATES)[string],
  variant: string,
  options: BrowserContextOptions,
): Promise<void> {
  const context = await shop.browser.newContext({ ...options, reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    await reach(page, shop satisfies Shop);
    const path = join(FOLDER, `${state.replaceAll(/[^a-z]+/gi, '-')}.${variant}.png`);
    await page.screenshot({ path });
    process.stdout.write(`${path}\n`);
  } finally {
    await context.close();
  }
}
