import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, type TestContext } from 'node:test';
import type { BrowserContextOptions, FrameLocator, Locator, Page } from 'playwright-core';
import { type Visit, visit } from './browser.ts';
import type { Shop } from './widget.ts';

export interface HostPage {
  /** What is in the body, or a whole document. */
  readonly body: string;
  /** Content-Security-Policy. */
  readonly policy?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Attributes of the root element. */
  readonly root?: string;
}

/** A web site of somebody else: another origin than the service's, and another site. */
export interface Host extends AsyncDisposable {
  readonly origin: string;
  /** The address of this page. */
  add(page: HostPage): string;
}

/** One site for all tests of a file, which may embed the chats of this shop. */
export function hostOfThisFile(shop: () => Shop): () => Host {
  const opened = new AsyncDisposableStack();
  let host: Host | undefined;
  before(async () => {
    host = opened.use(await openHost());
    await shop().allow(host.origin);
  });
  after(() => opened.disposeAsync());
  return () => host as Host;
}

export async function openHost(): Promise<Host> {
  const pages: HostPage[] = [];
  const server = createServer(({ url = '' }, response) => {
    const page = pages[Number(url.slice(1).split('?')[0])];
    if (page === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.');
      return;
    }
    const { body, policy, headers, root = 'lang="en"' } = page;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
    if (policy !== undefined) response.setHeader('content-security-policy', policy);
    response.end(body.startsWith('<!doctype') ? body : documentOf(body, root));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    add: (page) => `${origin}/${pages.push(page) - 1}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function documentOf(body: string, root: string): string {
  return (
    `<!doctype html><html ${root}><meta name="viewport" content="width=device-width">` +
    `<title>Shop</title><link rel="icon" href="data:,"><body>${body}</body></html>`
  );
}

/** Allows the script and the frame of a service, and nothing else at all. */
export function strictPolicy({ service }: Shop): string {
  return (
    `default-src 'none'; script-src ${service.url}; frame-src ${service.url}; img-src data:; ` +
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
  );
}

/** The script tag of a service, with these attributes. */
export function scriptTag({ service }: Shop, attributes: string): string {
  return `<script src="${service.url}/embed.js" ${attributes} async></script>`;
}

/** A frame that holds this address, without the script. */
export function framing(url: string, attributes = ''): string {
  return `<iframe width="400" height="600" ${attributes} src="${url}"></iframe>`;
}

export interface HostVisit extends Visit {
  /** The round button. */
  readonly button: Locator;
  /** The first chat. */
  readonly chat: FrameLocator;
}

/** Run before a page's scripts, it lets the test look into shadow roots that the page cannot. */
export const OPEN_SHADOWS = `{
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function () { return attach.call(this, { mode: 'open' }); };
}`;

/** Visits a host page. The test can look into shadow roots that the page itself cannot. */
export async function visitHost(
  t: TestContext,
  shop: Shop,
  url: string,
  options: BrowserContextOptions & { readonly before?: (page: Page) => Promise<unknown> } = {},
): Promise<HostVisit> {
  const { before: prepare, ...context } = options;
  const viewport = { width: 1000, height: 800 };
  const visited = await visit(t, shop.browser, { viewport, ...context });
  const { page } = visited;
  await page.addInitScript(OPEN_SHADOWS);
  await prepare?.(page);
  await page.goto(url);
  return {
    ...visited,
    button: page.locator('gatehouse-chat [part="button"]'),
    chat: page.frameLocator('gatehouse-chat iframe').first(),
  };
}
