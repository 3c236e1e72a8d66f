import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { feedIds } from '../support/events/events.ts';
import { registerSource } from '../support/events/signing.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const GUIDE = join(import.meta.dirname, '../../../../docs/guides/sign-events.md');

interface Tool {
  readonly file: string;
  readonly command: readonly [string, ...string[]];
  /** Commands that succeed only if the required tools are installed. */
  readonly needs: readonly (readonly [string, ...string[]])[];
}

const TOOLS: Readonly<Record<string, Tool>> = {
  sh: {
    file: 'send.sh',
    command: ['sh', '-eu'],
    needs: [
      ['curl', '--version'],
      ['openssl', 'version'],
    ],
  },
  js: { file: 'send.mjs', command: [process.execPath], needs: [] },
  python: { file: 'send.py', command: ['python3'], needs: [['python3', '--version']] },
  go: { file: 'send.go', command: ['go', 'run'], needs: [['go', 'version']] },
  php: { file: 'send.php', command: ['php'], needs: [['php', '--version']] },
};

const { client, session, space, key, service, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());
const { secret } = await registerSource(client, session, space.id, {
  source: 'https://shop.example/orders',
  signatureRequired: true,
});

const snippets = [...readFileSync(GUIDE, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)]
  .map(([, language = '', text = '']) => ({ language, text }))
  .filter(({ language }) => language !== 'http');

test('the guide has snippets in five languages and two additional variants', () => {
  const languages = snippets.map(({ language }) => language);
  assert.deepEqual(languages, ['sh', 'js', 'python', 'go', 'php', 'js', 'python']);
});

for (const [index, { language, text }] of snippets.entries()) {
  const tool = TOOLS[language];
  const missing = tool?.needs.find(([name, ...args]) => spawnSync(name, args).status !== 0);
  const skip = missing === undefined ? false : `${missing[0]} is not installed`;
  test(`snippet ${index + 1} of the guide (${language}) sends an event that is accepted`, {
    skip,
  }, async () => {
    assert.ok(tool);
    const [, id = ''] = /"?'?id'?"?(?: =>|:)\s*["']([\w-]+)["']/.exec(text) ?? [];
    using directory = temporaryDirectory();
    const file = join(directory.path, tool.file);
    writeFileSync(file, text);
    const { status, output } = await run([...tool.command, file]);
    assert.equal(status, 0, output);
    assert.match(output, /success/);
    assert.ok((await feedIds(client, key)).includes(id), id);
  });
}

async function run([name = '', ...args]: readonly string[]) {
  const { url } = service;
  const env = { ...process.env, GATEHOUSE_URL: url, EVENT_SOURCE_SECRET: secret };
  const child = spawn(name, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { status, output };
}
