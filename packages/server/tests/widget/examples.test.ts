import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skip } from '../support/browser/browser.ts';
import { hostOfThisFile, visitHost } from '../support/browser/host-page.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';
import { temporaryDirectory } from '../support/services/service.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** Builds the React example. `main` replaces its `main.tsx`. */
function buildExample(main?: string): string {
  using directory = temporaryDirectory();
  let root = 'examples/react';
  if (main !== undefined) {
    root = join(directory.path, 'example');
    cpSync(join(ROOT, 'examples/react'), root, { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    writeFileSync(join(root, 'main.tsx'), main);
    rmSync(join(root, 'tsconfig.json'));
  }
  const args = ['build', root, '--outDir', directory.path, '--logLevel', 'warn'];
  const { status, stderr } = spawnSync(join(ROOT, 'node_modules/.bin/vite'), args, {
    cwd: ROOT,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const [script = ''] = globSync('assets/*.js', { cwd: directory.path });
  return readFileSync(join(directory.path, script), 'utf8');
}

/** A page whose language can be removed. Its markup comes from the server, as in an application with server-side rendering. */
const LANGUAGE_SWITCH = `
import { StrictMode, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { GatehouseChat } from './gatehouse-chat.tsx';

function Page() {
  const [lang, setLang] = useState<string | undefined>('de');
  const props = { service: document.documentElement.dataset['gatehouse'] ?? '', token: 'Zk3v', lang };
  return <><button onClick={() => setLang(undefined)}>Page</button><GatehouseChat {...props} /></>;
}
const onRecoverableError = (error: unknown) => reportError(error);
hydrateRoot(document.getElementById('root')!, <StrictMode><Page /></StrictMode>, { onRecoverableError });
`;

describe('the embedding examples', { skip }, () => {
  const shop = shopOfThisFile();
  const host = hostOfThisFile(shop);

  test('the plain page opens the chat with its own button and receives the state of the answer', async (t) => {
    const { service, model, newLink } = shop();
    model.behave(REFUND);
    const html = readFileSync(join(ROOT, 'examples/embed.html'), 'utf8');
    const body = html.replaceAll('http://127.0.0.1:8080', service.url);
    const url = `${host().add({ body })}#${(await newLink()).token}`;
    const { page, chat, problems } = await visitHost(t, shop(), url);
    await page.getByRole('button', { name: 'Ask about this lamp' }).click();
    await ask(chat, 'How long does a refund take?', 'five days');
    assert.match(String(model.requests.at(-1)?.text), /lamp-nine/);
    assert.equal(await page.title(), 'Lamps (finished)');
    assert.deepEqual(problems, []);
  });

  test('the React page gets a link from its back end, sends context to the assistant and counts answers', async (t) => {
    const { service, model, newLink } = shop();
    model.behave(REFUND);
    const body = buildExample();
    const url = host().add({
      root: `lang="en" data-gatehouse="${service.url}"`,
      body: '<div id="root"></div><script type="module" src="/app.js"></script>',
    });
    let links = 0;
    const before = async (page: Page) => {
      await page.route('**/app.js', (route) =>
        route.fulfill({ body, contentType: 'text/javascript' }),
      );
      await page.route('**/api/assistant-token', async (route) => {
        links += 1;
        await route.fulfill({ json: { token: (await newLink({ sub: 'ada' })).token } });
      });
    };
    const { page, button, chat, problems } = await visitHost(t, shop(), url, { before });
    await page.getByRole('button', { name: 'Ask about lamps' }).click();
    await ask(chat, 'How long does a refund take?', 'five days');
    await page.locator('output').getByText('1', { exact: true }).waitFor();
    assert.match(String(model.requests.at(-1)?.text), /lamp-nine/);
    await page.getByRole('button', { name: 'lamp-nine' }).click();
    await page.getByRole('button', { name: 'lamp-ten' }).waitFor();
    await ask(chat, 'And this one?', 'five days');
    assert.match(String(model.requests.at(-1)?.text), /lamp-ten/);
    assert.equal(links, 1);
    assert.equal(await button.count(), 1);
    assert.deepEqual(problems, []);
  });

  test('the React component takes over markup of the server, and a language can be removed', async (t) => {
    const body = buildExample(LANGUAGE_SWITCH);
    const markup = '<button>Page</button><gatehouse-chat token="Zk3v" lang="de"></gatehouse-chat>';
    const url = host().add({
      root: `lang="fr" data-gatehouse="${shop().service.url}"`,
      body: `<div id="root">${markup}</div><script type="module" src="/app.js"></script>`,
    });
    const before = (page: Page) =>
      page.route('**/app.js', (route) => route.fulfill({ body, contentType: 'text/javascript' }));
    const { page, problems } = await visitHost(t, shop(), url, { before });
    await page.getByRole('button', { name: 'Chat öffnen' }).waitFor();
    await page.getByRole('button', { name: 'Page' }).click();
    await page.getByRole('button', { name: 'Ouvrir le chat' }).waitFor();
    assert.deepEqual(problems, []);
  });
});
