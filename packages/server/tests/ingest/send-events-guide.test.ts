import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { feedIds } from '../support/events/events.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const GUIDE = join(import.meta.dirname, '../../../../docs/guides/send-events.md');
const run = promisify(execFile);

const { client, key, service, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

const snippets = new Map(
  [...readFileSync(GUIDE, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
    ([, language = '', text = '']) => [language, text],
  ),
);

for (const [language, file, command, id] of [
  ['sh', 'send.sh', 'sh', 'order-1001-paid'],
  ['ts', 'send.mts', process.execPath, 'order-1002-paid'],
] as const) {
  const isMissing = language === 'sh' && spawnSync('curl', ['--version']).status !== 0;
  for (const isValid of [true, false])
    test(`the example in the guide (${language}) ${isValid ? 'sends an event' : 'fails if the event is rejected'}`, {
      skip: isMissing && 'curl is not installed',
    }, async () => {
      using directory = temporaryDirectory();
      const path = join(directory.path, file);
      const text = snippets.get(language) ?? '';
      writeFileSync(path, isValid ? text : text.replace('https://shop.example', 'shop.example'));
      const env = { ...process.env, GATEHOUSE_URL: service.url, GATEHOUSE_KEY: key };
      const sent = run(command, [path], { env });
      if (isValid) {
        await sent;
        assert.ok((await feedIds(client, key)).includes(id));
      } else await assert.rejects(sent, /source: must be an absolute URI|Command failed/);
    });
}
