/** The process is killed after a resource was committed and before the client received the response. The client repeats the request. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { clientOf } from '../support/http/client.ts';
import { exchangeLink, makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { stored } from '../support/storage/stored.ts';

const PRELOADED = join(import.meta.dirname, '../support/services/kill-before-response.ts');

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

test('a repetition after a crash returns the link that was created before the crash', async () => {
  const body = { sub: 'killed' };
  const headers = { 'idempotency-key': 'killed' };
  let key = '';
  {
    const env = { NODE_OPTIONS: `--import=${PRELOADED}` };
    await using service = await startService(directory.path, { env });
    const client = clientOf(service.url);
    const session = await signIn(client);
    key = await makeKey(client, session, (await makeSpace(client, session)).id);
    const killed = { as: key, body, headers: { ...headers, 'x-test-kill': 'true' } };
    await assert.rejects(client('/assistant-link', killed), TypeError);
    await service.stop();
    assert.equal(service.process.signalCode, 'SIGKILL');
  }
  await using service = await startService(directory.path);
  const client = clientOf(service.url);
  const repeat = () => client('/assistant-link', { as: key, body, headers });
  const [first, second] = [await repeat(), await repeat()];
  for (const { status, text, headers: received } of [first, second]) {
    assert.equal(status, 200, text);
    assert.equal(received.get('idempotent-replayed'), 'true');
  }
  assert.equal(first.text, second.text);
  await exchangeLink(client, String(first.json['token']));
  const { json } = await client('/assistant-link?sub=killed', { as: key });
  const links = json['items'] as { id: string }[];
  assert.equal(links.length, 1);
  const audited = await stored(
    directory.path,
    "select id from links where creator_kind = 'api-key'",
  );
  assert.deepEqual(
    audited.map((row) => row['id']),
    links.map(({ id }) => id),
  );
});
