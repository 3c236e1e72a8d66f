// Starts a service, sends random and broken requests to all event formats, and reports findings:
//   node scripts/fuzz-formats.ts [inputs, 100000] [seed]
// Exits with 1 if there is a finding. See docs/fuzzing.md.

import { readFeed } from '../packages/server/tests/support/events/events.ts';
import { clientOf } from '../packages/server/tests/support/http/client.ts';
import { seeded } from '../packages/server/tests/support/seeded.ts';
import { startChildWithSpace } from '../packages/server/tests/support/services/service-with-space.ts';
import { type Answer, exchange, Hang } from './fuzz/connection.ts';
import { brokenRequest, framedRequest } from './fuzz/requests.ts';

const INPUTS = Number(process.argv[2] ?? 100_000);
const SEED = Number(process.argv[3] ?? Date.now() % 2 ** 32);
const CONNECTIONS = 8;
const PIPELINED = 25;
/** Share of inputs whose HTTP syntax is also broken. Each of these inputs is sent on a separate connection. */
const BROKEN = 0.1;
const BROKEN_PATIENCE_MS = 250;
const EXPECTED = new Set([200, 400, 401, 408, 413, 415, 431]);
const MAX_SHOWN = 20;

const random = seeded(SEED);
const statuses = new Map<number, number>();
const findings: string[] = [];
const memory: number[] = [];
let answered = 0;
let unanswered = 0;

await using shop = await startChildWithSpace({
  capture: true,
  env: { GATEHOUSE_LOG_LEVEL: 'error' },
});
const { key, service } = shop;
const began = performance.now();
const watch = setInterval(() => {
  memory.push(Math.round(service.rss()));
  console.log(`${answered} answered, ${Math.round(service.rss())} MB`);
}, 10_000);
await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
clearInterval(watch);
const seconds = (performance.now() - began) / 1000;
await checkFeed();
memory.push(Math.round(service.rss()));
const code = await service.stop();
if (code !== 0) findings.push(`the service exited with ${code}`);
const { stdout, stderr } = service.output();
if (stdout + stderr !== '') findings.push(`the log contains: ${(stdout + stderr).slice(0, 2000)}`);
report();

async function sendSome(): Promise<void> {
  while (answered < INPUTS && findings.length < MAX_SHOWN) {
    const isBroken = random.next() < (BROKEN * PIPELINED) / (1 + BROKEN * (PIPELINED - 1));
    const requests = isBroken
      ? [brokenRequest(random, key)]
      : Array.from({ length: PIPELINED }, () => framedRequest(random, key));
    try {
      const answers = await exchange(
        service.port,
        requests,
        isBroken ? BROKEN_PATIENCE_MS : undefined,
      );
      for (const [index, answer] of answers.entries()) judge(answer, requests[index]);
      unanswered += Math.max(0, requests.length - answers.length);
    } catch (error) {
      if (!(error instanceof Hang)) throw error;
      findings.push(`no response to one of ${requests.map(shown).join('\n')}`);
    }
  }
}

function judge({ status, body }: Answer, request: Buffer | undefined): void {
  answered += 1;
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const problem = problemOf(status, body);
  if (problem !== null && findings.length < MAX_SHOWN)
    findings.push(`${problem}: ${status} ${body} for ${shown(request)}`);
}

function problemOf(status: number, body: string): string | null {
  // A broken request line can contain a different path or method.
  if (status === 404 || status === 405) return null;
  if (!EXPECTED.has(status)) return 'an unexpected status';
  const answer = JSON.parse(body) as Record<string, unknown>;
  if (status !== 200) {
    const { code, message } = answer;
    return typeof code === 'string' && typeof message === 'string'
      ? null
      : 'not an error of the contract';
  }
  if ('items' in answer) return null;
  const { success, processed, failed, eventIds, errors = [] } = answer;
  const isWhole =
    success === (failed === 0) &&
    processed === (eventIds as unknown[]).length &&
    failed === (errors as unknown[]).length;
  return isWhole ? null : 'a contradictory response';
}

/** Checks that the feed contains only valid events, and that no event contains the API key. */
async function checkFeed(): Promise<void> {
  const { items } = await readFeed(clientOf(service.url), key);
  for (const { event } of items) {
    const { id, source, type, specversion, auth } = event;
    const texts = [id, source, type].every((text) => typeof text === 'string' && text !== '');
    if (!texts || specversion !== '1.0' || auth != null)
      findings.push(`in the feed: ${JSON.stringify(event)}`);
    // Ignores the data: in binary mode, it can be a broken batch that contains the key.
    const { data: _data, ...attributes } = event;
    if (JSON.stringify(attributes).includes(key))
      findings.push(`the feed contains the key: ${JSON.stringify(event)}`);
  }
  console.log(`${items.length} events in the feed`);
}

function shown(request: Buffer | undefined): string {
  return request === undefined ? '' : request.subarray(0, 4000).toString('base64');
}

function report(): void {
  const sorted = Object.fromEntries([...statuses].sort(([a], [b]) => a - b));
  console.log(
    `seed ${SEED}; ${answered} inputs with a response in ${Math.round(seconds)} s`,
    sorted,
  );
  console.log(
    `${unanswered} without a response: incomplete, or after a request that closed its connection`,
  );
  console.log(`resident memory, MB: ${memory.join(' ')}`);
  for (const finding of findings.slice(0, MAX_SHOWN)) console.log(`FOUND ${finding}`);
  console.log(`${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
