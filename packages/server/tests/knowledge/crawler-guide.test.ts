import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { openGuide, skipWithout } from '../support/guides/guide.ts';
import { crawlsOf } from '../support/knowledge/crawls.ts';
import { pageOf, startSite } from '../support/knowledge/site.ts';
import { makeKey } from '../support/provision.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

const guide = openGuide('crawler');
const directory = temporaryDirectory();
const { client, session, space, service, ...shop } = await startChildWithSpace({
  env: ALLOW_RECEIVERS,
});
after(async () => {
  await shop[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});
const key = await makeKey(client, session, space.id, ['knowledge:write']);

test('the commands in the guide succeed when run in order', {
  skip: skipWithout('curl', 'jq', 'sh', 'sed'),
}, async () => {
  await using site = await startSite({
    '/help/': pageOf('Help', 'staff/rota', 'broken'),
    '/help/staff/rota': pageOf('Rota'),
    '/help/broken': { status: 403 },
  });
  const env: Record<string, string | undefined> = {
    ...process.env,
    GATEHOUSE_URL: service.url,
    GATEHOUSE_KEY: key,
    SPACE_ID: space.id,
    SITE: site.url,
  };
  // Asynchronous, because the site is served by this process.
  async function run(script: string): Promise<string> {
    const options = { env, cwd: directory.path };
    return (await promisify(execFile)('sh', ['-euc', script], options)).stdout;
  }
  const crawls = crawlsOf(client, session, space.id);
  writeFileSync(join(directory.path, 'crawl.json'), guide.next('json'));
  const { id } = JSON.parse(await run(guide.next('sh'))) as { id: string };
  await crawls.untilEnded(id);
  const shown = JSON.parse(await run(guide.next('sh'))) as { pages: { sent: number } };
  assert.equal(shown.pages.sent, 2);
  env['CRAWL'] = id;
  const failed = JSON.parse(await run(guide.next('sh'))) as { items: { url: string }[] };
  assert.deepEqual(
    failed.items.map(({ url }) => url),
    [`${site.url}/help/broken`],
  );
  await run(guide.next('sh'));
  assert.equal((await client(`${crawls.path}/${id}`, { as: session })).status, 404);
  await crawls.untilDocuments([]);
});
