import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type FakeModel, startFakeModel } from '../assistant/fake-model.ts';
import { ALLOW_RECEIVERS } from '../events/receiver.ts';
import { addDocument } from '../knowledge/knowledge.ts';
import { type MadeLink, makeLink } from '../provision.ts';
import { type ServiceWithSpace, startServiceWithSpace } from '../services/service-with-space.ts';
import { openBrowser } from './browser.ts';

/** A service whose assistant answers from two documents. One of them is hidden from customers. */
export interface Shop extends Omit<ServiceWithSpace, keyof AsyncDisposable> {
  readonly model: FakeModel;
  readonly browser: Browser;
  newLink(link?: object): Promise<MadeLink>;
  revoke(link: MadeLink): Promise<void>;
  allow(...origins: string[]): Promise<void>;
}

export const RETURNS = {
  fileName: 'returns.md',
  markdown:
    '# Returns\n\n## Refunds\n\nA refund reaches your account within five days.\n\n## Parcels\n\nUse the label that came with the parcel.',
  metadata: { audience: ['customers'] },
};
export const MARGINS = {
  fileName: 'margins.md',
  markdown: '# Margins\n\nA refund costs us 31 percent of the margin.',
  metadata: { audience: ['staff'] },
};
const CUSTOMERS = { audience: { eq: 'customers' } };

/** Opens a shop and a browser for all tests of a file. Returns a function that returns the shop. */
export function shopOfThisFile(): () => Shop {
  let shop: Shop | null = null;
  const opened = new AsyncDisposableStack();
  before(async () => {
    shop = await openShop(opened);
  });
  after(() => opened.disposeAsync());
  return () => {
    assert.ok(shop);
    return shop;
  };
}

/**
 * Opens a shop outside of tests. Disposing `opened` closes it.
 *
 * @param browserArgs additional arguments of Chromium.
 */
export async function openShop(
  opened: AsyncDisposableStack,
  browserArgs: readonly string[] = [],
): Promise<Shop> {
  const model = opened.use(await startFakeModel());
  const env = {
    GATEHOUSE_MODEL_URL: model.url,
    GATEHOUSE_MODEL_NAME: 'fake',
    GATEHOUSE_RATE_LIMIT_CHAT: '0',
    ...ALLOW_RECEIVERS,
  };
  const running = opened.use(await startServiceWithSpace({ env }));
  const { client, session, space } = running;
  const browser = await openBrowser(browserArgs);
  opened.defer(() => browser.close());
  const bot = { name: 'Shop assistant', greeting: 'Hello!', suggestions: ['Where is my parcel?'] };
  const changed = await client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body: bot });
  assert.equal(changed.status, 200, changed.text);
  for (const document of [RETURNS, MARGINS]) await addDocument(client, session, space.id, document);
  return {
    ...running,
    model,
    browser,
    newLink: (link = {}) =>
      makeLink(client, session, { spaceId: space.id, permissionFilter: CUSTOMERS, ...link }),
    async revoke({ id }) {
      const path = `/assistant-link/${id}`;
      const { status } = await client(path, { method: 'DELETE', as: session });
      assert.equal(status, 204);
    },
    async allow(...allowedOrigins) {
      const path = `/spaces/${space.id}`;
      const body = { allowedOrigins };
      const { status } = await client(path, { method: 'PATCH', as: session, body });
      assert.equal(status, 200);
    },
  };
}

export const REFUND = {
  does: 'answer',
  pieces: ['Refunds take ', '**five days** ', '[1].'],
} as const;

/** Types a question, sends it, and waits until an answer contains the given text. */
export async function ask(
  page: Pick<Page, 'getByRole'>,
  question: string,
  answer?: string | RegExp,
): Promise<void> {
  const field = page.getByRole('textbox', { name: /question/i });
  await field.fill(question);
  await field.press('Enter');
  if (answer === undefined) return;
  await page.getByRole('article').filter({ hasText: answer }).last().waitFor();
  // The `Send` button replaces the `Stop` button after the answer.
  await page.getByRole('button', { name: 'Send' }).waitFor();
}
