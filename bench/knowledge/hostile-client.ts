// Worker thread of `hostile-session.ts`: reports that it is ready, sends parallel searches from the first message to the second, and then
// replies with the number of responses by status and code.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';

export interface Attack {
  readonly url: string;
  readonly spaceId: string;
  readonly session: string;
  readonly parallel: number;
}

const OPERATORS = 500;
const MARK = 'MARK';
/** Delay after a rejected search. A client that repeats rejected requests immediately would measure the cost of HTTP instead. */
const RETRY_MS = 100;

const { url, spaceId, session, parallel } = workerData as Attack;
const client = clientOf(url);
const conditions = Array.from({ length: OPERATORS }, (_, n) => ({
  [`key${n % 250}`]: { like: `%${MARK} nowhere ${n}%` },
}));
const template = JSON.stringify({ query: 'refund', filter: { or: conditions } });
const outcomes: Record<string, number> = {};
let sent = 0;
let isStopped = false;

async function search(): Promise<void> {
  sent += 1;
  // No earlier search used this filter, so its result is not cached.
  const { status, json } = await client(`/spaces/${spaceId}/search`, {
    as: session,
    headers: { 'content-type': 'application/json' },
    body: template.replaceAll(MARK, `${process.pid}-${performance.now()}-${sent}`),
  });
  const name = `${status} ${json['code'] ?? ''}`.trim();
  outcomes[name] = (outcomes[name] ?? 0) + 1;
  if (status !== 200) await sleep(RETRY_MS);
}

// Loading this thread is not part of the load.
parentPort?.postMessage('ready');
if (parentPort !== null) await once(parentPort, 'message');
parentPort?.once('message', () => {
  isStopped = true;
});
await Promise.all(
  Array.from({ length: parallel }, async () => {
    while (!isStopped) await search();
  }),
);
parentPort?.postMessage(outcomes);
