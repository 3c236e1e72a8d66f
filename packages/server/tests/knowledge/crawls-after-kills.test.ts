import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FULL, roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { clientOf } from '../support/http/client.ts';
import { crawlsOf } from '../support/knowledge/crawls.ts';
import { pageOf, startSite } from '../support/knowledge/site.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const ROUNDS = roundsOf(2, 40);
const PAGES = FULL ? 100 : 60;
/** Maximum number of pages that the service requests before each kill. */
const PAGES_PER_ROUND = Math.floor(PAGES / ROUNDS);

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);
const env = ALLOW_RECEIVERS;

test(`after ${ROUNDS} kills during a run, the run continues, visits few pages twice, and every page is one document`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  await using site = await startSite({});
  const paths = Array.from({ length: PAGES }, (_, index) => `/page-${index}`);
  for (const [index, path] of paths.entries())
    site.pages.set(path, {
      html: pageOf(`Page ${index}`, `/page-${Math.min(index + 1, PAGES - 1)}`, '/page-0'),
    });
  const visitsSoFar = () => site.requests.filter(({ path }) => path !== '/robots.txt').length;
  const untilVisits = (goal: number) =>
    until(`${goal} pages have been requested`, async () => visitsSoFar() >= goal);
  let spaceId = '';
  let id = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    const goal = Math.min(PAGES, visitsSoFar() + 1 + random.below(PAGES_PER_ROUND));
    const service = await startService(directory.path, { env });
    const client = clientOf(service.url);
    const session = await signIn(client);
    if (id === '') {
      spaceId = (await makeSpace(client, session)).id;
      const definition = { startUrl: `${site.url}/page-0`, maxDepth: 100 };
      id = (await crawlsOf(client, session, spaceId).create(definition)).id;
    }
    await untilVisits(goal);
    await service.stop('SIGKILL');
  }
  await using service = await startService(directory.path, { env });
  const client = clientOf(service.url);
  const session = await signIn(client);
  const crawls = crawlsOf(client, session, spaceId);
  const { run, pages, documents } = await crawls.untilEnded(id);
  assert.deepEqual(
    [run?.outcome, pages.sent, pages.failed, documents],
    ['complete', PAGES, 0, PAGES],
  );
  const stored = await crawls.untilDocuments(paths.map((path) => `${site.url}${path}`));
  assert.equal(new Set(stored.map(({ title }) => title)).size, PAGES);
  const visits = visitsSoFar();
  assert.ok(visits <= PAGES + ROUNDS, `${visits} requests for ${PAGES} pages`);

  // The pages behind page 30 vanish.
  site.pages.set('/page-30', { html: pageOf('Page 30') });
  const goal = visitsSoFar() + 1 + random.below(20);
  await crawls.start(id);
  await untilVisits(goal);
  await service.stop('SIGKILL');
  await using last = await startService(directory.path, { env });
  const again = crawlsOf(clientOf(last.url), await signIn(clientOf(last.url)), spaceId);
  assert.deepEqual((await again.untilEnded(id)).documents, 31);
  await again.untilDocuments(paths.slice(0, 31).map((path) => `${site.url}${path}`));
});
