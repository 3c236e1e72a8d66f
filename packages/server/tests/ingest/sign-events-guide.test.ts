import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { feedIds } from '../support/events/events.ts';
import { openGuide, parseRequest } from '../support/guides/guide.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

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

const guide = openGuide('sign-events');
const LANGUAGES = ['sh', 'js', 'python', 'go', 'php', 'js', 'python'] as const;
const request = parseRequest(guide.next('http'));
const snippets = LANGUAGES.map((language) => ({ language, text: guide.next(language) }));

const { client, session, space, key, service, ...shop } = await startChildWithSpace();
after(() => shop[Symbol.asyncDispose]());
const path = request.path.replace('{spaceId}', space.id);
const registered = await client(path, { ...request, as: session });
const secret = String(registered.json['secret']);

test('the request in the guide registers a source', () => {
  assert.equal(registered.status, 201, registered.text);
  assert.match(secret, /^whsec_/);
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
