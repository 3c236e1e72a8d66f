import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { DocumentEvent } from '@gatehouse/contract';
import { whenLookedAt } from '../support/document-events.ts';
import { makeKey } from '../support/provision.ts';
import { openShop } from '../support/shop.ts';

const GUIDE = join(import.meta.dirname, '../../../../docs/guides/keep-knowledge-in-step.md');
const snippets = [...readFileSync(GUIDE, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, text = '']) => text,
);
const missing = ['curl', 'sh'].find((tool) => spawnSync(tool, ['-c', 'true']).error !== undefined);

const { client, session, space, service, ...shop } = await openShop();
after(() => shop[Symbol.asyncDispose]());
const key = await makeKey(client, session, space.id, ['events:write', 'knowledge:write', 'read']);

function run(script: string): Record<string, unknown> {
  const env = {
    ...process.env,
    GATEHOUSE_URL: service.url,
    GATEHOUSE_KEY: key,
    SPACE_ID: space.id,
  };
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', script], { env, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('the lines of the guide do what it says, one after the other', {
  skip: missing === undefined ? false : `${missing} is not on this machine`,
}, async () => {
  const [say, change, look, retry, ...others] = snippets;
  assert.ok(say && change && look && retry);
  assert.deepEqual(others, []);
  const looked = (subject: string) => whenLookedAt(client, session, space.id, subject);

  assert.deepEqual(run(say)['eventIds'], ['wiki-42-revision-7']);
  const { documentId } = await looked('wiki/42');
  const changed = run(change);
  assert.deepEqual([changed['processed'], changed['failed']], [3, 0]);
  for (const subject of ['wiki/43', 'wiki/44']) await looked(subject);
  const revised = await whenLookedAt(client, session, space.id, 'wiki/42', 'wiki-42-revision-8');
  assert.equal(revised.documentId, documentId);
  const { items } = run(look) as { items: DocumentEvent[] };
  assert.deepEqual(
    items.map(({ subject, eventId, failure }) => [subject, eventId, failure?.issues]),
    [['wiki/44', 'wiki-44-revision-1', [{ message: 'data.fileName: is required' }]]],
  );
  assert.deepEqual(run(retry), { applied: 0, failed: 1, next: null });
});
