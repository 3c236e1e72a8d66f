import { after, before, type TestContext } from 'node:test';
import type { BrowserContextOptions, FrameLocator, Locator, Page } from 'playwright-core';
import { startTestServer } from '../http/test-server.ts';
import { type Visit, visit } from './browser.ts';
import type { Shop } from './widget.ts';

export interface HostPage {
  /** Content of the `body` element, or a complete HTML document. */
  readonly body: string;
  readonly policy?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Attributes of the `html` element. */
  readonly root?: string;
}

/** A third-party web site, whose origin and site differ from those of the service. */
export interface Host extends AsyncDisposable {
  readonly origin: string;
  add(page: HostPage): string;
}

/** Opens a site for all tests of a file and allows the site to embed the chats of the shop. */
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
  const server = await startTestServer(({ url = '' }, response) => {
    const page = pages[Number(url.slice(1).split('?')[0])];
    if (page === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('This page does not exist.');
      return;
    }
    const { body, policy, headers, root = 'lang="en"' } = page;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
    if (policy !== undefined) response.setHeader('content-security-policy', policy);
    response.end(body.startsWith('<!doctype') ? body : documentOf(body, root));
  });
  const origin = `http://localhost:${server.port}`;
  return {
    origin,
    add: (page) => `${origin}/${pages.push(page) - 1}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function documentOf(body: string, root: string): string {
  return (
    `<!doctype html><html ${root}><meta name="viewport" content="width=device-width">` +
    `<title>Shop</title><link rel="icon" href="data:,"><body>${body}</body></html>`
  );
}

export function strictPolicy({ service }: Shop): string {
  return (
    `default-src 'none'; script-src ${service.url}; frame-src ${service.url}; img-src data:; ` +
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
  );
}

export function scriptTag({ service }: Shop, attributes: string): string {
  return `<script src="${service.url}/embed.js" ${attributes} async></script>`;
}

export function framing(url: string, attributes = ''): string {
  return `<iframe width="400" height="600" ${attributes} src="${url}"></iframe>`;
}

export interface HostVisit extends Visit {
  /** The button on the host page that opens the chat. */
  readonly button: Locator;
  /** The frame of the first chat on the page. */
  readonly chat: FrameLocator;
}

/** Initialisation script that makes closed shadow roots accessible to the test. */
export const OPEN_SHADOWS = `{
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function () { return attach.call(this, { mode: 'open' }); };
}`;

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
