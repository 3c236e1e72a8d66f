import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { breakOffRequest } from '../support/guides/break-off.ts';
import { openGuide, ROOT, skipWithout } from '../support/guides/guide.ts';
import { GuideShell, guideVariables } from '../support/guides/shell.ts';
import { freePort } from '../support/services/free-port.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';
import { until } from '../support/until.ts';

const started = await startChildWithSpace();
after(() => started[Symbol.asyncDispose]());

test('the commands of the guide about tools create a tool, handle its call and change its secret', {
  skip: skipWithout('bash', 'curl', 'jq', 'openssl'),
}, async (t) => {
  const guide = openGuide('tools');
  const shell = new GuideShell(await guideVariables(started));
  const secret = (await shell.run(guide.next('sh'))).trim();
  assert.match(secret, /^whsec_/);
  const call = JSON.parse(guide.next('json'));

  const port = await freePort();
  // The file must be inside the repository, where the package `standardwebhooks` is installed.
  const file = join(ROOT, 'packages/server', `tool-server-${port}.mjs`);
  writeFileSync(file, guide.next('js'));
  t.after(() => rmSync(file));
  const env = { ...process.env, TOOL_SECRET: secret, PORT: String(port) };
  const server = spawn(process.execPath, [file], { env, stdio: 'inherit' });
  t.after(() => server.kill());
  const send = (id: string, data: object, key = secret) => {
    const body = JSON.stringify({ ...call, data: { ...call.data, ...data } });
    const now = new Date();
    return fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body,
      headers: {
        'idempotency-key': id,
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(key).sign(id, now, body),
      },
    });
  };
  await until('the server listens', () =>
    send('call_0', { arguments: {} }).then(
      () => true,
      () => false,
    ),
  );
  assert.equal(await (await send('call_1', {})).text(), 'Order 1001 is cancelled.');
  assert.equal(await (await send('call_1', {})).text(), 'Order 1001 is cancelled.');
  const stranger = { link: { ...call.data.link, claims: { sub: 'customer-43' } } };
  assert.match(await (await send('call_2', stranger)).text(), /has no order/);
  const withoutSub = { arguments: { order: '0' }, link: { ...call.data.link, claims: {} } };
  assert.match(await (await send('call_4', withoutSub)).text(), /has no order/);
  await breakOffRequest(port);
  assert.equal((await send('call_3', {}, `whsec_${'A'.repeat(32)}`)).status, 401);
  server.kill();
  await once(server, 'exit');

  assert.equal((await shell.run(guide.next('sh'))).trim(), 'cancel_order');
});
