// Claim: a crawl of 10,000 local pages without a delay takes less than ten minutes, and the second crawl sends no page. Measures the duration
// of both runs, the time until all documents are indexed, and the memory of the service.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALLOW_RECEIVERS } from '../../packages/server/tests/support/events/receiver.ts';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { crawlsOf } from '../../packages/server/tests/support/knowledge/crawls.ts';
import { untilIndexed } from '../../packages/server/tests/support/knowledge/knowledge.ts';
import { makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';

const options = numberOptions({ pages: 10_000, words: 300 });
/** Links of a page, like the navigation of a site. */
const LINKS = 50;
const POLL_MS = 500;

const text = Array.from({ length: options.words }, (_, index) => `word${index % 97}`).join(' ');
const server = createServer((request, response) => {
  const index = Number(/^\/page-(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
  if (!(index < options.pages)) {
    response.writeHead(404).end();
    return;
  }
  const etag = `"${index}"`;
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  const links = Array.from(
    { length: LINKS },
    (_, link) => `<a href="/page-${(index * 10 + link + 1) % options.pages}">Page</a>`,
  );
  response.writeHead(200, { 'content-type': 'text/html', etag });
  response.end(`<title>Page ${index}</title><p>${text}</p>${links.join('')}`);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

using directory = temporaryDirectory();
await using service = await startProvisioned(directory.path, ALLOW_RECEIVERS);
const client = clientOf(service.url);
const as = await signIn(client);
const { id: spaceId } = await makeSpace(client, as);
const crawls = crawlsOf(client, as, spaceId);

let residentMB = service.rss();
/** Waits until the run has ended. Returns seconds. */
async function measure(id: string) {
  for (;;) {
    const crawl = await crawls.show(id);
    residentMB = Math.max(residentMB, service.rss());
    if (crawl.state === 'idle' && crawl.run !== null) {
      const { startedAt, endedAt } = crawl.run;
      const seconds = (Date.parse(endedAt ?? '') - Date.parse(startedAt)) / 1000;
      return { seconds, outcome: crawl.run.outcome, pages: crawl.pages };
    }
    await sleep(POLL_MS);
  }
}

const idleMB = residentMB;
const startedAt = performance.now();
const { id } = await crawls.create({
  startUrl: `http://127.0.0.1:${port}/page-0`,
  maxPages: options.pages,
  maxDepth: 100,
});
const first = await measure(id);
await untilIndexed(client, as, spaceId);
const indexedSeconds = (performance.now() - startedAt) / 1000;
await crawls.start(id);
const second = await measure(id);
server.closeAllConnections();
server.close();

report('a crawl of 10,000 local pages takes less than ten minutes', {
  options,
  first,
  indexedSeconds,
  second,
  residentMB: { idle: idleMB, maximum: residentMB },
  targets: { firstSeconds: 600 },
});
