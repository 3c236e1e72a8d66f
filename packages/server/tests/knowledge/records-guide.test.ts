import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { FoundPassage, ProjectionTrial } from '@gatehouse/contract';
import { openGuide, skipWithout } from '../support/guides/guide.ts';
import { projectionsOf } from '../support/knowledge/projections.ts';
import { exchangeLink, makeKey, makeLink } from '../support/provision.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

const guide = openGuide('records');
const directory = temporaryDirectory();
const { client, session, space, service, ...shop } = await startChildWithSpace();
after(async () => {
  await shop[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});
const key = await makeKey(client, session, space.id, ['events:write', 'knowledge:write', 'read']);

function run(script: string): Record<string, unknown> {
  const env = {
    ...process.env,
    GATEHOUSE_URL: service.url,
    GATEHOUSE_KEY: key,
    SPACE_ID: space.id,
  };
  const options = { env, cwd: directory.path, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', script], options);
  assert.equal(status, 0, stdout + stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('the commands in the guide succeed when run in order', {
  skip: skipWithout('curl', 'sh'),
}, async () => {
  const projections = projectionsOf(client, session, space.id);
  assert.equal(run(guide.next('sh'))['processed'], 1);
  writeFileSync(join(directory.path, 'orders.json'), guide.next('json'));
  const { records, skipped } = run(guide.next('sh')) as unknown as ProjectionTrial;
  assert.deepEqual([records.map(({ title }) => title), skipped], [['Order ord-1001'], 0]);
  const created = run(guide.next('sh'));
  const id = String(created['id']);
  await projections.untilCurrent(id);
  assert.equal(run(guide.next('sh'))['processed'], 1);
  await projections.untilCurrent(id);
  const [found] = run(guide.next('sh'))['items'] as FoundPassage[];
  assert.equal(found?.text, guide.next('text').trim());
  const body = { spaceId: space.id, ...JSON.parse(guide.next('json')) };
  const as = await exchangeLink(client, (await makeLink(client, session, body)).token);
  assert.equal((await projections.search('where is my order', as)).length, 1);
});
