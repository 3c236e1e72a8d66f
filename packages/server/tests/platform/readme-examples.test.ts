import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { openBrowser, skip as skipBrowser } from '../support/browser/browser.ts';
import { OPEN_SHADOWS } from '../support/browser/host-page.ts';
import { assertShows, codeBlocks, openGuide, ROOT, skipWithout } from '../support/guides/guide.ts';
import { isReady, startCommand } from '../support/guides/start-command.ts';
import { freePort } from '../support/services/free-port.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

// Runs the examples of the README and of the guide that follows it, in their order and on the same port. The only changes are
// the ports and the data directory. `npm ci` and `npm test` are omitted here; `.ci/run` runs them in a fresh clone.

const run = promisify(execFile);
const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const shopPort = await freePort();
const readme = codeBlocks(readFileSync(join(ROOT, 'README.md'), 'utf8'))
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text);
const guide = openGuide('get-started');

describe('the examples, one after the other', {
  skip: skipWithout('bash', 'curl', 'jq', 'npm'),
}, () => {
  test('the README contains only commands that these tests or .ci/run execute', () => {
    assert.deepEqual(readme, ['npm ci\nnpm run demo\n', 'npm test\n']);
    assert.match(readFileSync(join(ROOT, '.ci/run'), 'utf8'), /^npm test$/m);
  });

  test('the demo starts, and the commands that it prints work', async () => {
    const env = { TMPDIR: directory.path, GATEHOUSE_PORT: String(port) };
    const demo = startCommand('npm run demo', env);
    try {
      await until('the demo is ready', () => demo.shown().includes('Press Ctrl-C to stop.'));
      const [, commands = ''] =
        /^Repeat the steps in another shell:$(.*)^Documentation:/ms.exec(demo.shown()) ?? [];
      const shown = await runScript(commands);
      assert.match(shown, /"url":"http:[^"]*\/widget\//);
      assert.match(shown, /"snippet":"/);
      assert.match(shown, /"success":true/);
      assert.doesNotMatch(shown, /"code":/);
    } finally {
      await demo.pressCtrlC();
    }
  });

  test('the guide runs as a script after the demo has stopped, and ends with a chat on a page', async (t) => {
    const service = startCommand(guide.next('sh'), {
      GATEHOUSE_DATA_DIR: join(directory.path, 'data'),
      GATEHOUSE_PORT: String(port),
    });
    try {
      await until('the service is ready', () => isReady(url));
      const commands = guide
        .rest('sh')
        .map((text) => text.replaceAll('http://127.0.0.1:8080', url));
      const startShop = commands.pop() ?? '';
      assert.match(startShop, /node shop\.mjs/);
      // The page of the example is on a free port, not on port 3000.
      const script = commands
        .join('\necho\n')
        .replaceAll('localhost:3000', `localhost:${shopPort}`);
      const shown = await runScript(`${script}\necho "key: $GATEHOUSE_KEY"`);
      const [created = ''] = /^\{"token":.*$/m.exec(shown) ?? [];
      assertShows(guide.next('json'), JSON.parse(created));
      for (const line of promisedResults()) assert.ok(shown.includes(line), `${line}\n${shown}`);
      assert.match(shown, new RegExp(`^\\["http://localhost:${shopPort}"\\]$`, 'm'));
      assert.doesNotMatch(shown, /"code":/);

      const [, key = ''] = /^key: (\S+)$/m.exec(shown) ?? [];
      writeFileSync(join(directory.path, 'shop.mjs'), guide.next('js'));
      const env = { GATEHOUSE_URL: url, GATEHOUSE_KEY: key, PORT: String(shopPort) };
      const shop = startCommand(startShop, env, directory.path);
      try {
        await until('the shop listens', () => shop.shown().includes('listening'));
        if (skipBrowser === false) await askOnPage(`http://localhost:${shopPort}`);
        else t.diagnostic(`the page is not opened: ${skipBrowser}`);
      } finally {
        await shop.pressCtrlC();
      }
      const wrong = startCommand(startShop, { ...env, GATEHOUSE_KEY: 'gh_x' }, directory.path);
      try {
        await until('the shop listens', () => wrong.shown().includes('listening'));
        for (let n = 0; n < 2; n++) assert.equal(await statusOfToken(shopPort), 502);
      } finally {
        await wrong.pressCtrlC();
      }
    } finally {
      await service.pressCtrlC();
    }
  });
});

async function statusOfToken(port: number): Promise<number> {
  const url = `http://localhost:${port}/api/assistant-token`;
  return (await fetch(url, { method: 'POST' })).status;
}

/** Opens the page of the guide, asks a question in its chat and waits for the answer from the permitted document. */
async function askOnPage(page: string): Promise<void> {
  const browser = await openBrowser();
  try {
    const tab = await browser.newPage();
    await tab.addInitScript(OPEN_SHADOWS);
    await tab.goto(page);
    await tab.locator('gatehouse-chat [part="button"]').click();
    const chat = tab.frameLocator('gatehouse-chat iframe');
    await chat.getByRole('textbox').fill('When does a refund reach my account?');
    await chat.getByRole('textbox').press('Enter');
    await chat
      .getByText(/within five working days/)
      .first()
      .waitFor();
  } finally {
    await browser.close();
  }
}

/** Returns the lines of the search output in the guide. Removes the ` …` with which the guide shortens lines. */
function promisedResults(): string[] {
  const lines = guide.next('text').trimEnd().split('\n');
  assert.ok(lines.length >= 2);
  return lines.map((line) => line.replace(/ …$/, ''));
}

async function runScript(script: string): Promise<string> {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: ROOT });
  return stdout;
}
