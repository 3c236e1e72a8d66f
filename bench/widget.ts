// Claims: the first opening of the widget loads at most 30 kB (gzip), and the widget is usable within 300 ms on a CPU that is slowed down
// by a factor of four. For comparison, also measures the bundles of four other embeddable chats, and a page with only a text field as the
// lower bound. The bundles are downloaded from the npm registry.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openBrowser } from '../packages/server/tests/support/browser/browser.ts';
import { clientOf } from '../packages/server/tests/support/http/client.ts';
import { makeLink } from '../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../packages/server/tests/support/services/service.ts';
import { report } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { startProvisioned } from './lib/service.ts';
import { spread } from './lib/spread.ts';
import { type Opening, open, type Selectors } from './widget/opening.ts';
import { fetchPeers } from './widget/peers.ts';

const options = numberOptions({ runs: 15, slowdown: 4 });

using directory = temporaryDirectory();
await using service = await startProvisioned(directory.path);
const key = service.authorization.replace('Bearer ', '');
const link = await makeLink(clientOf(service.url), key, {});

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-peers-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const peers = fetchPeers(folder);

const pages = createServer((request, response) => {
  const [, kind, index] = (request.url ?? '').split('/');
  const isScript = kind === 'script';
  const body = isScript ? peers[Number(index)]?.script : pageOf(index);
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  response.setHeader('content-encoding', 'gzip');
  response.end(gzipSync(body ?? '', { level: 9 }));
});
await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;

const browser = await openBrowser();
const openings: Record<string, Opening[]> = {};
for (let run = 0; run < options.runs; run += 1) {
  await measure('lower bound: a page with a text field', `${base}/page/`, { ready: 'textarea' });
  await measure('gatehouse', link.url, { ready: 'textarea', open: 'textarea[placeholder]' });
  for (const [index, { name }] of peers.entries())
    await measure(name, `${base}/page/${index}`, { ready: '[data-loaded]' });
}
await browser.close();
pages.close();

report(
  'first opening of the widget: bytes, time until usable, time from a key press to the painted letter',
  {
    note: 'for the other chats only the script is loaded, which renders nothing and sends no requests',
    options,
    results: Object.fromEntries(
      Object.entries(openings).map(([name, all]) => [name, summarise(all)]),
    ),
    targets: { bytes: 30_000, usableMs: 300 },
  },
);

async function measure(name: string, url: string, selectors: Selectors): Promise<void> {
  openings[name] ??= [];
  openings[name].push(await open(browser, url, selectors, options.slowdown));
}

function summarise(all: readonly Opening[]) {
  const openings = all.flatMap(({ openMs }) => openMs ?? []);
  const keys = all.flatMap(({ keyMs }) => keyMs ?? []);
  return {
    kilobytes: Math.round((all[0]?.bytes ?? 0) / 100) / 10,
    requests: all[0]?.requests,
    usableMs: spread(all.map(({ usableMs }) => usableMs)),
    ...(openings.length === 0 ? {} : { openMs: spread(openings) }),
    ...(keys.length === 0 ? {} : { keyMs: spread(keys) }),
  };
}

function pageOf(index: string | undefined): string {
  const script =
    index === ''
      ? '<textarea></textarea>'
      : `<script type="${peers[Number(index)]?.type}" src="/script/${index}" onload="document.documentElement.dataset.loaded = true"></script>`;
  return `<!doctype html><meta charset="utf-8"><title>x</title>${script}`;
}
