import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runInThisContext } from 'node:vm';
import { browserOfThisFile, skip, visit } from '../support/browser/browser.ts';
import { OPEN_SHADOWS } from '../support/browser/host-page.ts';
import { openGuide, ROOT, skipWithout } from '../support/guides/guide.ts';
import { GuideShell, guideVariables } from '../support/guides/shell.ts';
import { startTestServer } from '../support/http/test-server.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

/** The part of Express's response that the backend in the guide uses. */
interface ExpressResponse {
  set(name: string, value: string): ExpressResponse;
  json(body: object): void;
  sendStatus(status: number): void;
}
type ExpressHandler = (request: object, response: ExpressResponse) => Promise<void>;
type Backend = (
  app: { post(path: string, guard: null, handler: ExpressHandler): void },
  guard: null,
) => void;

interface PageOfGuide {
  readonly html: string;
  readonly policy?: string;
}

const started = await startChildWithSpace();
after(() => started[Symbol.asyncDispose]());
const { client, service } = started;
const variables = await guideVariables(started);

const guide = openGuide('embed');
/** Replaces the address of the service and the token in an example. */
let token = '';
const adapt = (text: string) =>
  text.replaceAll('https://gatehouse.example', service.url).replaceAll('Zk3v…', token);

/** The type declarations of the guide. */
let types = '';
const WIDGET = join(ROOT, 'packages/widget');
/** Has two mistakes. */
const PROGRAM = `
import type { ChatElement, Options } from '${WIDGET}/loader/chat-element.ts';

type Internal = 'isLive' | 'connectedCallback' | 'disconnectedCallback' | 'attributeChangedCallback';
type Same<A, B> = [A, B] extends [B, A] ? true : false;
export const complete: Same<Exclude<keyof ChatElement, Internal>, keyof GatehouseChat> = true;
export const sameOptions: Same<Required<Options>, Required<GatehouseOptions>> = true;
declare const real: ChatElement;
// The script does not declare the details of the events.
export const members: Omit<GatehouseChat, 'on'> = real;
declare const chat: GatehouseChat;

globalThis.Gatehouse = globalThis.Gatehouse || [];
Gatehouse.push(['open'], ['ask', 'Where is my order?', { send: true }]);
chat.on('answer', ({ state }) => state === 'finished');
chat.updateContext({ page: location.pathname });
chat.registerTool({ name: 'cart', description: 'Reads the cart.', run: (input, { signal }) => signal.aborted });
document.querySelector('gatehouse-chat')?.setTheme('drak');
chat.opne();
`;

const handlers = new Map<string, ExpressHandler>();
const pages = new Map<string, PageOfGuide>();
const server = await startTestServer((request, response) => respond(request, response));
after(() => server[Symbol.asyncDispose]());
const { origin } = server;

function respond({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const handler = handlers.get(`${method} ${url}`);
  const page = pages.get(url);
  if (handler !== undefined) {
    const user = { id: 'customer-42', groups: ['customers'] };
    handler({ user }, expressResponse(response)).catch((error) => response.destroy(error));
  } else if (page !== undefined) {
    if (page.policy !== undefined) response.setHeader('content-security-policy', page.policy);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Shop</title><link rel="icon" href="data:,">${page.html}`);
  } else response.writeHead(404).end();
}

function expressResponse(response: ServerResponse): ExpressResponse {
  const shown: ExpressResponse = {
    set: (name, value) => {
      response.setHeader(name, value);
      return shown;
    },
    json: (body) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    },
    sendStatus: (status) => {
      response.writeHead(status).end();
    },
  };
  return shown;
}

describe('the examples in the guide about embedding', {
  skip: skip || skipWithout('bash', 'curl'),
}, () => {
  const browser = browserOfThisFile();
  before(async () => {
    const allow = guide.next('sh').replace('https://shop.example', origin);
    const shell = new GuideShell(variables);
    assert.deepEqual((await shell.json(allow))['allowedOrigins'], [origin]);
  });

  test('a link for each person: the backend creates it, and the page fetches its token', async (t) => {
    const script = guide.next('html');
    const code = adapt(guide.next('js')).replace(
      'process.env.GATEHOUSE_KEY',
      JSON.stringify(variables.GATEHOUSE_KEY),
    );
    const backend: Backend = runInThisContext(`(app, requireUser) => {${code}}`);
    backend({ post: (path, _, handler) => handlers.set(`POST ${path}`, handler) }, null);
    pages.set('/get-token', { html: adapt(guide.next('html')) });
    await chatOn(t, '/get-token', async (page) => {
      await page.locator('gatehouse-chat [part="button"]').click();
    });

    const body = JSON.parse(guide.next('json'));
    const link = await client('/assistant-link', { as: variables.GATEHOUSE_KEY, body });
    assert.equal(link.status, 200, link.text);
    token = String(link.json['token']);
    const css = guide.next('css');
    const element = guide.next('html');
    await navigate(t, guide.next('js'), script);
    const push = guide.next('js');
    const html = `<style>${css}</style><script>${push}</script>${adapt(script)}`;
    pages.set('/script', { html });
    const page = await chatOn(t, '/script');
    await page
      .frameLocator('gatehouse-chat iframe')
      .getByRole('heading', { name: 'Shop help' })
      .waitFor();
    const bottom =
      "getComputedStyle(document.querySelector('gatehouse-chat')).getPropertyValue('--gatehouse-bottom')";
    assert.equal(await page.evaluate(bottom), '80px');

    types = guide.next('ts');
    const policy = adapt(guide.next('')).replaceAll('\n', ' ');
    pages.set('/element', { html: adapt(element), policy });
    await chatOn(t, '/element');

    pages.set('/iframe', { html: adapt(guide.next('html')) });
    await chatOn(t, '/iframe', undefined, 'iframe');

    pages.set('/tools', { html: `<script>${guide.next('js')}</script>${adapt(script)}` });
    await chatOn(t, '/tools', async (opened) => {
      await opened.locator('gatehouse-chat [part="button"]').click();
    });
  });

  test('the types describe the element, and reject mistakes', () => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'gatehouse.d.ts'), types);
    writeFileSync(join(folder.path, 'program.ts'), PROGRAM);
    const compilerOptions = { typeRoots: [join(ROOT, 'node_modules')] };
    writeFileSync(
      join(folder.path, 'tsconfig.json'),
      JSON.stringify({ extends: `${WIDGET}/tsconfig.json`, compilerOptions, include: ['*.ts'] }),
    );
    const compiler = join(ROOT, 'node_modules/.bin/tsc');
    const args = ['--singleThreaded', '--project', folder.path];
    const { stdout } = spawnSync(compiler, args, { encoding: 'utf8' });
    assert.match(stdout, /'"drak"' is not assignable/);
    assert.match(stdout, /Property 'opne' does not exist/);
    assert.equal(stdout.match(/error TS/g)?.length, 2, stdout);
  });

  /** Replaces the body of a page and restores a cached copy of it, with the events of Turbo. */
  async function navigate(t: Parameters<typeof visit>[0], listeners: string, script: string) {
    pages.set('/turbo', { html: `<head><script>${listeners}</script>${adapt(script)}</head>` });
    const page = await chatOn(t, '/turbo', async (opened) => {
      await opened.locator('gatehouse-chat [part="button"]').click();
    });
    await page.evaluate(`{
      const show = (body) => {
        document.body.replaceWith(body);
        document.dispatchEvent(new Event('turbo:load'));
      };
      document.dispatchEvent(new Event('turbo:before-cache'));
      const cached = document.body.cloneNode(true);
      show(document.createElement('body'));
      document.dispatchEvent(new Event('turbo:before-cache'));
      show(cached);
    }`);
    assert.equal(await page.locator('gatehouse-chat').count(), 1);
    await page.frameLocator('gatehouse-chat iframe').getByRole('textbox').waitFor();
    await page.evaluate('Gatehouse.close()');
    await page.locator('gatehouse-chat iframe').waitFor({ state: 'hidden' });
  }

  /** Opens a page and waits until its chat accepts a question. */
  async function chatOn(
    t: Parameters<typeof visit>[0],
    path: string,
    open: (page: Awaited<ReturnType<typeof visit>>['page']) => Promise<void> = async () => {},
    frame = 'gatehouse-chat iframe',
  ) {
    const { page, problems } = await visit(t, browser, { viewport: { width: 900, height: 800 } });
    await page.addInitScript(OPEN_SHADOWS);
    await page.goto(origin + path);
    await open(page);
    await page.frameLocator(frame).getByRole('textbox').waitFor();
    assert.deepEqual(problems, [], path);
    return page;
  }
});
