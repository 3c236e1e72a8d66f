import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';
import type { ChildServer } from './child-server.ts';
import { type Client, clientOf } from './client.ts';
import { type FakeModel, startFakeModel } from './fake-model.ts';
import { addDocument } from './knowledge.ts';
import { type MadeLink, type MadeSpace, makeLink, makeSpace, signIn } from './provision.ts';
import { startService, temporaryDirectory } from './service.ts';

/** A shop whose assistant answers from two documents, one of which is not for customers. */
export interface Shop {
  readonly service: ChildServer;
  readonly dataDir: string;
  readonly client: Client;
  /** The administrator's session. */
  readonly session: string;
  readonly space: MadeSpace;
  readonly model: FakeModel;
  readonly browser: Browser;
  /** A link for a customer, with these members besides. */
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

/** One shop and one browser for all tests of a file; `get` gives it in tests. */
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

/** The same outside of tests; it is closed with `opened`. */
export async function openShop(opened: AsyncDisposableStack): Promise<Shop> {
  const directory = opened.use(temporaryDirectory());
  const model = opened.use(await startFakeModel());
  const env = {
    GATEHOUSE_MODEL_URL: model.url,
    GATEHOUSE_MODEL_NAME: 'fake',
    GATEHOUSE_RATE_LIMIT_CHAT: '0',
  };
  const service = await startService(directory.path, { env });
  opened.defer(async () => void (await service.stop()));
  const browser = await openBrowser();
  opened.defer(() => browser.close());
  const client = clientOf(service.url);
  const session = await signIn(client);
  const space = await makeSpace(client, session);
  const bot = { name: 'Shop assistant', greeting: 'Hello!', suggestions: ['Where is my parcel?'] };
  const changed = await client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body: bot });
  assert.equal(changed.status, 200, changed.text);
  for (const document of [RETURNS, MARGINS]) await addDocument(client, session, space.id, document);
  return {
    service,
    dataDir: directory.path,
    client,
    session,
    space,
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

/** A model's answer that quotes the first passage it was given. */
export const REFUND = {
  does: 'answer',
  pieces: ['Refunds take ', '**five days** ', '[1].'],
} as const;

/** Asks as a person does, and waits until an answer says this. */
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
  // The button to stop gives way to the one to send.
  await page.getByRole('button', { name: 'Send' }).waitFor();
}
