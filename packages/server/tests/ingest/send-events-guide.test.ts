import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { feedIds } from '../support/events/events.ts';
import { openGuide, skipWithout } from '../support/guides/guide.ts';
import { GuideShell, guideVariables } from '../support/guides/shell.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

const run = promisify(execFile);

const started = await startChildWithSpace();
after(() => started[Symbol.asyncDispose]());
const { client, key, service } = started;

const guide = openGuide('send-events');
const snippets = { sh: guide.next('sh'), ts: guide.next('ts') };
const file = guide.next('sh');

test('the file with a rejected event gets the response in the guide', {
  skip: skipWithout('bash', 'curl'),
}, async () => {
  const shell = new GuideShell(await guideVariables(started));
  guide.compareNext(await shell.json(file));
});

for (const [language, file, command, id] of [
  ['sh', 'send.sh', 'sh', 'order-1001-paid'],
  ['ts', 'send.mts', process.execPath, 'order-1002-paid'],
] as const) {
  for (const isValid of [true, false])
    test(`the example in the guide (${language}) ${isValid ? 'sends an event' : 'fails if the event is rejected'}`, {
      skip: language === 'sh' && skipWithout('curl'),
    }, async () => {
      using directory = temporaryDirectory();
      const path = join(directory.path, file);
      const text = snippets[language];
      writeFileSync(path, isValid ? text : text.replace('https://shop.example', 'shop.example'));
      const env = { ...process.env, GATEHOUSE_URL: service.url, GATEHOUSE_KEY: key };
      const sent = run(command, [path], { env });
      if (isValid) {
        await sent;
        assert.ok((await feedIds(client, key)).includes(id));
      } else await assert.rejects(sent, /source: must be an absolute URI|Command failed/);
    });
}
