// `npm run screenshots`: starts a service with a small shop, takes screenshots of the console, and writes them to docs/screenshots.
import { join } from 'node:path';
import { type BrowserContextOptions, devices, type Page } from 'playwright-core';
import { openBrowser } from '../packages/server/tests/support/browser/browser.ts';
import { signInToConsole, untilLoaded } from '../packages/server/tests/support/browser/console.ts';
import { ALLOW_RECEIVERS } from '../packages/server/tests/support/events/receiver.ts';
import { addDocument } from '../packages/server/tests/support/knowledge/knowledge.ts';
import { pageOf, startSite } from '../packages/server/tests/support/knowledge/site.ts';
import { exchangeLink, makeLink } from '../packages/server/tests/support/provision.ts';
import { startChildWithSpace } from '../packages/server/tests/support/services/service-with-space.ts';

const FOLDER = join(import.meta.dirname, '../docs/screenshots');
const { defaultBrowserType: _, ...PHONE } = devices['iPhone SE'] ?? {};
const DESKTOP = { viewport: { width: 1100, height: 760 } };
const CUSTOMERS = { audience: { eq: 'customers' } };
const DOCUMENTS = [
  ['Returns and refunds.txt', 'customers', 'A refund reaches your account within five days.'],
  ['Shipping.txt', 'customers', 'Parcels arrive within three working days.'],
  ['Margins.txt', 'staff', 'A refund costs us 31 percent of the margin.'],
] as const;

await using opened = new AsyncDisposableStack();
const { client, session, space, service } = opened.use(
  await startChildWithSpace({ env: ALLOW_RECEIVERS }),
);
const browser = await openBrowser();
opened.defer(() => browser.close());
await client(`/spaces/${space.id}`, {
  method: 'PATCH',
  as: session,
  body: { name: 'Corner shop' },
});
for (const [fileName, audience, text] of DOCUMENTS)
  await addDocument(client, session, space.id, { fileName, text, metadata: { audience } });
const newLink = (sub: string, permissionFilter?: object) =>
  makeLink(client, session, {
    spaceId: space.id,
    sub,
    ...(permissionFilter ? { permissionFilter } : {}),
  });
const link = await newLink('customer-42', CUSTOMERS);
for (const sub of ['customer-43', 'customer-44']) await newLink(sub, CUSTOMERS);
await newLink('support-team');

await ask(link.token, 'How long does a refund take?');
await ask(link.token, 'Do you sell gift cards?');
await ask((await newLink('customer-45', CUSTOMERS)).token, 'Do you ship to Iceland?');
const subscription = await client(`/spaces/${space.id}/subscriptions`, {
  as: session,
  // The name does not exist, so the deliveries fail and are retried.
  body: { url: 'https://shop.example/hooks/orders', types: ['example.order.*'] },
});
const TYPES = ['example.order.placed', 'example.order.paid', 'example.order.shipped'] as const;
const events = Array.from({ length: 24 }, (_, index) => ({
  specversion: '1.0',
  id: `order-${1001 + Math.floor(index / 3)}-${index % 3}`,
  source: 'https://shop.example/orders',
  type: TYPES[index % 3],
  subject: `order-${1001 + Math.floor(index / 3)}`,
  data: { total: 49.9, currency: 'EUR', customer: `customer-${40 + (index % 7)}` },
}));
await client(`/events?spaceId=${space.id}`, {
  as: session,
  body: { events: [...events, { specversion: '1.0', id: 'x', source: '', type: 'example' }] },
});

await client(`/bots/${space.botId}`, {
  method: 'PATCH',
  as: session,
  body: { handoff: { openingHours: null } },
});
await client(`/bots/${space.botId}/tools`, {
  as: session,
  body: {
    name: 'cancel_order',
    title: 'Cancel an order',
    description:
      'Cancels an order that has not been shipped. Use it only if the person asks for it.',
    url: 'https://shop.example/tools/cancel-order',
    inputSchema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  },
});
const customer = await ask((await newLink('customer-46', CUSTOMERS)).token, 'Where is my parcel?');
await client('/chat/handoff', { as: customer, body: { id: 'screenshot' } });
const site = opened.use(
  await startSite({
    '/': pageOf('Help', '/returns', '/gift-cards'),
    '/returns': pageOf('Returns'),
    '/gift-cards': { status: 403 },
  }),
);
const crawl = await client(`/spaces/${space.id}/crawls`, {
  as: session,
  body: {
    name: 'Help pages',
    startUrl: site.url,
    defaultMetadata: { audience: 'customers' },
    everyHours: 24,
    delayMs: 0,
  },
});
const projection = await client(`/spaces/${space.id}/projections`, {
  as: session,
  body: {
    name: 'Order',
    types: ['example.order.*'],
    key: 'subject',
    fields: { total: '/total', customer: '/customer' },
    title: 'Order {key}',
    text: 'The total of order {key} is {total}.',
    metadata: { customer: { field: 'customer' } },
  },
});

/** Asks a question as the user of a link. Returns the widget session. */
async function ask(linkToken: string, text: string): Promise<string> {
  const as = await exchangeLink(client, linkToken);
  await client('/chat', {
    as,
    body: { id: 'screenshot', messages: [{ role: 'user', parts: [{ type: 'text', text }] }] },
  });
  return as;
}

/** Opens a page of the space and waits for its heading. */
const opens = (heading: string, path: string) => async (page: Page) => {
  await page.goto(`${page.url()}${path}`);
  await page.getByRole('heading', { name: heading, exact: true, level: 1 }).waitFor();
  await untilLoaded(page);
};

const PAGES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'first-steps': (page) => page.getByRole('heading', { name: 'Send an event' }).waitFor(),
  links: async (page) => {
    await page.goto(`${page.url()}/links`);
    await page.getByText('support-team').waitFor();
  },
  'access-preview': async (page) => {
    await page.goto(`${page.url()}/access?link=${link.id}`);
    await page.getByLabel('Document', { exact: true }).selectOption('Margins.txt');
    await page.getByText('does not hold').waitFor();
    await page.getByLabel('Question').fill('How long does a refund take?');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Passages that were found').waitFor();
  },
  documents: opens('Documents', '/documents'),
  questions: opens('Conversations', '/conversations/questions'),
  events: opens('Events', '/events'),
  crawl: async (page) => {
    await page.goto(`${page.url()}/crawls/${String(crawl.json['id'])}`);
    await page.getByText('complete', { exact: true }).waitFor();
  },
  projection: async (page) => {
    await page.goto(`${page.url()}/projections/${String(projection.json['id'])}`);
    await page.getByText('up to date').waitFor();
    await page.getByText('Order order-1001', { exact: true }).click();
  },
  handoff: async (page) => {
    await page.goto(`${page.url()}/conversations?handoff=requested`);
    await page.getByRole('link', { name: 'Where is my parcel?' }).click();
    await page.getByLabel('Your answer (Markdown)').waitFor();
  },
  tools: async (page) => {
    await page.goto(`${page.url()}/settings`);
    await page.locator('details.card > summary').first().click();
    const tool = page.locator('.card .card > summary', { hasText: 'cancel_order' });
    await tool.click();
    await tool.evaluate((node: { scrollIntoView: () => void }) => node.scrollIntoView());
    await page.mouse.wheel(0, -160);
    await page.waitForTimeout(200);
  },
  subscription: opens(
    'https://shop.example/hooks/orders',
    `/subscriptions/${String(subscription.json['id'])}`,
  ),
};

// One session for all pictures, because the service limits sign-ins per minute.
const signedIn = await browser.newPage();
await signedIn.goto(`${service.url}/console`);
await signInToConsole(signedIn);
const storageState = await signedIn.context().storageState();
await signedIn.close();

for (const [name, reach] of Object.entries(PAGES)) {
  for (const colorScheme of ['light', 'dark'] as const)
    await take(`${name}.${colorScheme}`, { ...DESKTOP, colorScheme }, reach);
  await take(`${name}.phone`, PHONE, reach);
}

async function take(
  name: string,
  options: BrowserContextOptions,
  reach: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    ...options,
    storageState,
    reducedMotion: 'reduce',
  });
  try {
    const page = await context.newPage();
    await page.goto(`${service.url}/console/spaces/${space.id}`);
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await reach(page);
    await untilLoaded(page);
    await page.mouse.move(0, 0);
    const path = join(FOLDER, `console-${name}.png`);
    await page.screenshot({ path });
    process.stdout.write(`${path}\n`);
  } finally {
    await context.close();
  }
}
