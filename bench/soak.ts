// Claim: an hour of steady work (ingest, links, exchanges, pages of the feed, scrapes of the metrics) leaves
// resident memory flat, but for the identity filters' bytes an event.

import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryDirectory } from '../packages/server/tests/support/service.ts';
import { machine } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { startProvisioned } from './lib/service.ts';
import { round } from './lib/spread.ts';
import { ingestRequests } from './load/requests.ts';

const options = numberOptions({ minutes: 60, batchesPerSecond: 28, eventBytes: 500 });
const EVENTS_PER_REQUEST = 100;

using directory = temporaryDirectory();
await using service = await startProvisioned(directory.path);
const { authorization } = service;
const nextRequest = ingestRequests(
  { path: '/events', authorization },
  EVENTS_PER_REQUEST,
  options.eventBytes,
);

async function call(path: string, init: RequestInit = {}): Promise<string> {
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = await fetch(`${service.url}${path}`, { headers, ...init });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text;
}

async function ingest(): Promise<void> {
  const request = nextRequest();
  const body = request.subarray(request.indexOf('\r\n\r\n') + 4).toString();
  await call('/events', { method: 'POST', body });
}

/** What else happens in a second. */
async function others(): Promise<void> {
  const made = await call('/assistant-link', {
    method: 'POST',
    body: '{"sub":"u","ttlSeconds":600}',
  });
  const linkToken = (JSON.parse(made) as { token: string }).token;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ linkToken });
  await call('/assistant-link/exchange', { method: 'POST', body, headers });
  await call('/events?limit=100');
  await call('/metrics', { headers: {} });
}

const minutes: { minute: number; storedEvents: number; rssMB: number }[] = [];
const begun = performance.now();
let batches = 0;
for (let second = 0; second < options.minutes * 60; second++) {
  for (let batch = 0; batch < options.batchesPerSecond; batch++) {
    await ingest();
    batches += 1;
  }
  await others();
  if (second % 60 === 59) {
    const row = {
      minute: (second + 1) / 60,
      storedEvents: batches * EVENTS_PER_REQUEST,
      rssMB: round(service.rss()),
    };
    minutes.push(row);
    process.stderr.write(`${JSON.stringify(row)}\n`);
  }
  await sleep(Math.max(0, begun + (second + 1) * 1000 - performance.now()));
}

console.log(
  JSON.stringify(
    {
      claim: 'resident memory under an hour of steady load',
      machine: machine(),
      options,
      minutes,
      targets: { growth: 'the identity filters, 1.5 bytes an event' },
    },
    null,
    2,
  ),
);
