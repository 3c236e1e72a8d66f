// Claim: while documents are parsed and indexed, the p99 delay of the event loop stays below 20 ms. Also measures the documents and
// megabytes per second from the first upload until the last document is ready, and the CPU time per document by thread, which hardly
// depends on the load of the machine.

import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import {
  inParallel,
  untilIndexed,
} from '../../packages/server/tests/support/knowledge/knowledge.ts';
import { makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { text } from '../lib/knowledge.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startExisting, startProvisioned } from '../lib/service.ts';
import { round, spread } from '../lib/spread.ts';
import { childTimes, threadTimes } from '../lib/thread-times.ts';

const options = numberOptions({ runs: 5, documents: 300, wordsPerDocument: 3000 });
const CONCURRENT_UPLOADS = 4;
const PING_EVERY_MS = 5;
/** Delay that `monitorEventLoopDelay` reports for an idle event loop. */
const RESOLUTION_MS = 10;

function markdown(title: string): string {
  const sections = Array.from(
    { length: Math.ceil(options.wordsPerDocument / 100) },
    (_, index) => `## Section ${index}\n\n${text(100)}.`,
  );
  return `# ${title}\n\n${sections.join('\n\n')}\n`;
}

using directory = temporaryDirectory();
await using _first = await startProvisioned(directory.path);
await _first.stop();

const runs: {
  documentsPerSecond: number;
  megabytesPerSecond: number;
  pingP99Ms: number;
  delayP99Ms: number;
  cpuMs: number;
}[] = [];

/** Returns the CPU time in milliseconds of the benchmark, the threads of the service and the parser processes. */
function cpuTimes(pid: number): Map<string, number> {
  const { user, system } = process.cpuUsage();
  const times = threadTimes(pid)
    .set('parsers', childTimes(pid))
    .set('client', user + system);
  return new Map(times.entries().map(([name, time]) => [name, time / 1000]));
}

for (let run = 0; run < options.runs; run += 1) {
  await using service = await startExisting(directory.path);
  const client = clientOf(service.url);
  const as = await signIn(client);
  const { id } = await makeSpace(client, as);
  const bodies = Array.from({ length: options.documents }, (_, index) => ({
    fileName: `document ${index}.md`,
    markdown: markdown(`Document ${index}`),
  }));
  const bytes = bodies.reduce((sum, body) => sum + body.markdown.length, 0);
  await client('/metrics');
  const pings: number[] = [];
  let isIndexing = true;
  const pinging = (async () => {
    while (isIndexing) {
      const sent = performance.now();
      await client('/healthz');
      pings.push(performance.now() - sent);
      await sleep(PING_EVERY_MS);
    }
  })();
  const before = cpuTimes(service.process.pid ?? 0);
  const startedAt = performance.now();
  await inParallel(bodies, CONCURRENT_UPLOADS, async (body) => {
    const answer = await client(`/spaces/${id}/documents`, { as, body });
    if (answer.status !== 201) throw new Error(answer.text);
  });
  await untilIndexed(client, as, id);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = cpuTimes(service.process.pid ?? 0);
  const cpu = new Map(
    after
      .entries()
      .map(([name, time]) => [name, (time - (before.get(name) ?? 0)) / options.documents]),
  );
  isIndexing = false;
  await pinging;
  const metrics = (await client('/metrics')).text;
  const delay = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)?.[1]) * 1000;
  pings.sort((a, b) => a - b);
  const row = {
    documentsPerSecond: options.documents / seconds,
    megabytesPerSecond: bytes / 1e6 / seconds,
    pingP99Ms: pings[Math.floor(pings.length * 0.99)] ?? Number.NaN,
    delayP99Ms: delay - RESOLUTION_MS,
    cpuMs: cpu.values().reduce((sum, time) => sum + time, 0),
  };
  runs.push(row);
  const byThread = Object.fromEntries(cpu.entries().map(([name, time]) => [name, round(time)]));
  process.stderr.write(`${JSON.stringify({ ...row, byThread })}\n`);
}

const column = (name: keyof (typeof runs)[number]) => spread(runs.map((run) => run[name]));
report('parsing and indexing of Markdown, and the delay of the event loop', {
  options: {
    ...options,
    passages: round((options.wordsPerDocument / 100) * options.documents),
  },
  documentsPerSecond: column('documentsPerSecond'),
  megabytesPerSecond: column('megabytesPerSecond'),
  cpuMsPerDocument: column('cpuMs'),
  healthzP99Ms: column('pingP99Ms'),
  eventLoopDelayP99Ms: column('delayP99Ms'),
  targets: { documentsPerSecond: 150, eventLoopDelayP99Ms: 20 },
});
