// Claim: when a long read has ended, such as a backup, the log that has grown meanwhile is copied to the database without a long pause of writes.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { round } from '../lib/spread.ts';
import { spawnLoad } from '../load/spawn-load.ts';

const options = numberOptions({
  readSeconds: 30,
  secondsAfter: 30,
  connections: 32,
  events: 100,
  eventBytes: 500,
});
/** The read ends this long after the start of the last load. */
const END_AFTER_MS = 4000;

using directory = temporaryDirectory();
await using service = await startProvisioned(directory.path);
const file = join(directory.path, 'gatehouse.db');

async function measure(seconds: number) {
  const { perSecond, p99, max } = await spawnLoad({
    ...options,
    kind: 'ingest',
    path: '/events',
    port: service.port,
    authorization: service.authorization,
    requests: Number.MAX_SAFE_INTEGER,
    seconds,
  });
  return {
    eventsPerSecond: round(perSecond * options.events),
    p99Ms: round(p99),
    maxMs: round(max),
    logMB: round(statSync(`${file}-wal`).size / 1e6),
  };
}

// The first load is a warm-up.
await measure(3);
using reader = new DatabaseSync(file, { readOnly: true });
reader.exec('begin; select count(*) from event_batches');
const during = await measure(options.readSeconds);
setTimeout(() => reader.exec('rollback'), END_AFTER_MS);
const after = await measure(options.secondsAfter);

report('ingest while another process reads an old snapshot, and when the read ends', {
  options,
  during,
  after,
});
