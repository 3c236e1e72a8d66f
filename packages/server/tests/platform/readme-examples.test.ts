import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../support/services/child-server.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

// Runs the examples of the README and of the guide that follows it, in their order and on the same port. The only changes are
// the port and the data directory. `npm ci` and `npm test` are omitted here; `.ci/run` runs them in a fresh clone.

const ROOT = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);
const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const readme = examples('README.md');
const [startCommand = '', ...getStarted] = examples('docs/guides/get-started.md');
const embed = examples('docs/guides/embed.md');

const missing = ['bash', 'curl', 'jq', 'npm'].filter(
  (tool) => spawnSync(tool, ['--version']).status !== 0,
);

describe('the examples, one after the other', {
  skip: missing.length > 0 && `not installed: ${missing.join(', ')}`,
}, () => {
  test('the README contains only commands that these tests or .ci/run execute', () => {
    assert.deepEqual(readme, ['npm ci\nnpm run demo\n', 'npm test\n']);
    assert.match(readFileSync(join(ROOT, '.ci/run'), 'utf8'), /^npm test$/m);
  });

  test('the demo starts, and the commands that it prints work', async () => {
    const demo = start('npm run demo', { TMPDIR: directory.path });
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

  test('the guide runs as a script after the demo has stopped, and its search returns the results in the guide', async () => {
    const service = start(startCommand, { GATEHOUSE_DATA_DIR: join(directory.path, 'data') });
    try {
      await until('the service is ready', () => isReady());
      const shown = await runScript([...getStarted, ...embed].join('\n'));
      for (const line of promisedResults()) assert.ok(shown.includes(line), `${line}\n${shown}`);
      assert.match(shown, /"processed":2,"failed":1/);
      assert.match(shown, /^data: .*"type":"order\.placed"/m);
      assert.match(shown, /"allowedOrigins":\["https:\/\/shop\.example"\]/);
      assert.doesNotMatch(shown, /"code":/);
    } finally {
      await service.pressCtrlC();
    }
  });

  test('the embedding guide shows how to allow an origin before the line that adds the script', () => {
    const guide = readFileSync(join(ROOT, 'docs/guides/embed.md'), 'utf8');
    const required = guide.indexOf('"allowedOrigins":["https://shop.example"]');
    assert.ok(required > 0 && required < guide.indexOf('<script src='));
  });
});

/** Returns the `sh` examples of a document. Examples in a list are indented by the list. */
function examples(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return [...text.matchAll(/^( *)```sh\n(.*?)^\1```$/gms)].map(([, indent = '', example = '']) =>
    example.replaceAll(new RegExp(`^${indent}`, 'gm'), '').replaceAll('http://127.0.0.1:8080', url),
  );
}

/** Returns the lines of the search output in the guide. Removes the ` …` with which the guide shortens lines. */
function promisedResults(): string[] {
  const guide = readFileSync(join(ROOT, 'docs/guides/get-started.md'), 'utf8');
  const [, text = ''] = /^```text\n(.*?)^```$/ms.exec(guide) ?? [];
  const lines = text.trimEnd().split('\n');
  assert.ok(lines.length >= 2);
  return lines.map((line) => line.replace(/ …$/, ''));
}

async function runScript(script: string): Promise<string> {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: ROOT });
  return stdout;
}

/** Starts a command of the examples in its own process group, as an interactive shell does. */
function start(command: string, env: Readonly<Record<string, string>>) {
  const child = spawn('bash', ['-euc', command], {
    cwd: ROOT,
    env: { ...process.env, GATEHOUSE_PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const ended = once(child, 'close');
  return { shown: () => shown, pressCtrlC: () => interrupt(child, ended) };
}

async function interrupt(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
  await ended;
}

async function isReady(): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
