import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { DocumentEvent } from '@gatehouse/contract';
import { untilHandled } from '../support/knowledge/document-events.ts';
import { makeKey } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const GUIDE = join(import.meta.dirname, '../../../../docs/guides/synchronise-documents.md');
const snippets = [...readFileSync(GUIDE, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, text = '']) => text,
);
const missing = ['curl', 'sh'].find((tool) => spawnSync(tool, ['-c', 'true']).error !== undefined);

const { client, session, space, service, ...shop } = await startServiceWithSpace();
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

test('the commands in the guide succeed when run in order', {
  skip: missing === undefined ? false : `${missing} is not installed`,
}, async () => {
  const [upsert, change, list, retry, replace, ...others] = snippets;
  assert.ok(upsert && change && list && retry && replace);
  assert.deepEqual(others, []);
  const whenApplied = (subject: string) => untilHandled(client, session, space.id, subject);

  assert.deepEqual(run(upsert)['eventIds'], ['wiki-42-revision-7']);
  const { documentId } = await whenApplied('wiki/42');
  const changed = run(change);
  assert.deepEqual([changed['processed'], changed['failed']], [3, 0]);
  for (const subject of ['wiki/43', 'wiki/44']) await whenApplied(subject);
  const revised = await untilHandled(client, session, space.id, 'wiki/42', 'wiki-42-revision-8');
  assert.equal(revised.documentId, documentId);
  const { items } = run(list) as { items: DocumentEvent[] };
  assert.deepEqual(
    items.map(({ subject, eventId, failure }) => [subject, eventId, failure?.issues]),
    [['wiki/44', 'wiki-44-revision-1', [{ message: 'data.fileName: is required' }]]],
  );
  assert.deepEqual(run(retry), { applied: 0, failed: 1, next: null });
  assert.equal(run(replace)['key'], 'wiki/45');
});
