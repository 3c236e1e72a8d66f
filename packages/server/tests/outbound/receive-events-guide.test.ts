import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ingest, makeEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { breakOffRequest } from '../support/guides/break-off.ts';
import { openGuide, skipWithout } from '../support/guides/guide.ts';
import { GuideShell, guideVariables } from '../support/guides/shell.ts';
import { freePort } from '../support/services/free-port.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';
import { until } from '../support/until.ts';

const started = await startChildWithSpace({ env: ALLOW_RECEIVERS });
after(() => started[Symbol.asyncDispose]());
const { client, session, space, key, service } = started;

const guide = openGuide('receive-events');
const subscribeCommand = guide.next('sh');
const request = guide.next('http');
const snippets = { js: guide.next('js'), python: guide.next('python') };
const [feedCommand = '', streamCommand = ''] = guide.rest('sh');

function subscribe(directory: string, targetUrl: string): { id: string; secret: string } {
  const file = join(directory, 'subscribe.sh');
  writeFileSync(file, subscribeCommand);
  const env = {
    ...process.env,
    GATEHOUSE_URL: service.url,
    SPACE_ID: space.id,
    USER_SESSION: session,
    TARGET_URL: targetUrl,
  };
  const { status, stdout, stderr } = spawnSync('sh', ['-eu', file], { env, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  return JSON.parse(stdout);
}

for (const [language, file, command] of [
  ['js', 'target.mjs', process.execPath],
  ['python', 'target.py', 'python3'],
] as const) {
  const missing = ['curl', command].find((tool) => spawnSync(tool, ['--version']).status !== 0);
  const skip = missing === undefined ? false : `${missing} is not installed`;
  test(`the example target in the guide (${language}) accepts each signed event once, rejects forged events and survives a broken request`, {
    skip,
  }, async () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, file);
    writeFileSync(path, snippets[language]);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hooks/gatehouse`;
    const { id, secret } = subscribe(directory.path, url);
    const env = { ...process.env, PORT: String(port), SUBSCRIPTION_SECRET: secret };
    const target = spawn(command, [path], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    target.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    try {
      await until('the target listens', () => output.includes('listening'));
      const tested = await client(`/spaces/${space.id}/subscriptions/${id}/test`, {
        method: 'POST',
        as: session,
      });
      assert.equal(tested.json['status'], 204, tested.text);
      const event = makeEvent({ type: 'example.order.paid', data: 'ü' });
      await ingest(client, { as: key, body: { events: [makeEvent(), event] } });
      await until('the event has arrived', () => output.includes(String(event['id'])));
      assert.equal(output.match(/received/g)?.length, 2, output);
      await breakOffRequest(port);
      const forged = { 'webhook-id': 'msg_1', 'webhook-signature': 'v1,AAAA' };
      const timestamp = String(Math.floor(Date.now() / 1000));
      const refused = await fetch(url, {
        method: 'POST',
        body: '{}',
        headers: { ...forged, 'webhook-timestamp': timestamp },
      });
      assert.equal(refused.status, 401);
      assert.equal(output.match(/received/g)?.length, 2);
    } finally {
      target.kill();
      await once(target, 'exit');
    }
  });
}

test('the request in the guide has the headers that every delivery has', () => {
  const headers = [...request.matchAll(/^([a-z-]+): /gm)].map(([, name]) => name);
  assert.deepEqual(headers, [
    'content-type',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ]);
});

test('the commands for the feed and the live stream show stored and new events', {
  skip: skipWithout('bash', 'curl', 'timeout'),
}, async () => {
  const shell = new GuideShell(await guideVariables(started));
  const event = makeEvent();
  await ingest(client, { as: key, body: { events: [event] } });
  const { items } = (await shell.json(feedCommand)) as { items: unknown[] };
  assert.ok(JSON.stringify(items).includes(String(event['id'])));
  // On a busy machine, curl may connect later than the one second for which the command waits before it sends the event.
  await until('the stream shows the event', async () =>
    /^data: .*"type":"order\.placed"/m.test(await shell.run(streamCommand)),
  );
});
