// Claim: `npm start` on an existing data directory is ready within half a second and uses at most 110 MB when idle after a sign-in.
// V8 returns memory that it no longer needs about 40 seconds after the last work, so the memory is also measured after one minute.

import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../packages/server/tests/support/http/client.ts';
import { signIn } from '../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../packages/server/tests/support/services/service.ts';
import { report } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { startExisting, startProvisioned } from './lib/service.ts';
import { spread } from './lib/spread.ts';
import { spawnLoad } from './load/spawn-load.ts';

const options = numberOptions({ runs: 9, events: 1_000_000 });
const EVENTS_PER_REQUEST = 100;
const SETTLE_MS = 10_000;
const REST_MS = 60_000;

using directory = temporaryDirectory();
{
  await using service = await startProvisioned(directory.path);
  await spawnLoad({
    kind: 'ingest',
    path: '/events',
    port: service.port,
    authorization: service.authorization,
    connections: 32,
    seconds: 600,
    requests: options.events / EVENTS_PER_REQUEST,
    events: EVENTS_PER_REQUEST,
    eventBytes: 500,
  });
}

const ready: number[] = [];
const idle: number[] = [];
const idleAfterSignIn: number[] = [];
const idleForAMinute: number[] = [];
for (let run = 0; run < options.runs; run += 1) {
  await using service = await startExisting(directory.path);
  ready.push(service.readyAfter);
  await sleep(SETTLE_MS);
  idle.push(service.rss());
  await signIn(clientOf(service.url));
  await sleep(SETTLE_MS);
  idleAfterSignIn.push(service.rss());
  await sleep(REST_MS - SETTLE_MS);
  idleForAMinute.push(service.rss());
}

report('time from process start until /readyz returns 200 on an existing data directory', {
  options,
  readyAfterMs: spread(ready),
  idleResidentMB: spread(idle),
  idleAfterSignInMB: spread(idleAfterSignIn),
  idleForAMinuteMB: spread(idleForAMinute),
  targets: { readyAfterMs: 500, idleAfterSignInMB: 110 },
});
