// Claim: one hostile widget session raises the p99 of other spaces' searches and chats by less than a factor of three. The hostile session
// sends parallel searches, each with 500 different `like` operators over 25 kB of metadata per document, without a limit on requests
// per minute. The time budget of the link applies. Quiet and hostile periods alternate in one run.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Client, clientOf } from '../../packages/server/tests/support/http/client.ts';
import {
  addDocument,
  inParallel,
} from '../../packages/server/tests/support/knowledge/knowledge.ts';
import {
  exchangeLink,
  makeLink,
  makeSpace,
  signIn,
} from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { alternate } from '../lib/alternate.ts';
import { machine } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startExisting } from '../lib/service.ts';
import { round, spread } from '../lib/spread.ts';
import type { Attack } from './hostile-client.ts';

const options = numberOptions({ runs: 5, seconds: 10, documents: 120, perSecond: 20 });
const { runs, seconds, documents, perSecond } = options;
const PARALLEL = [20, 80];
/** Every n-th request of the other space is a question. */
const CHAT_EVERY = 5;
const OTHER_DOCUMENTS = 50;

const WORDS = 'refund invoice delivery account password window garden copper silent harbour'.split(
  ' ',
);
const sentence = (seed: number) =>
  Array.from({ length: 40 }, (_, n) => WORDS[(seed * 7 + n * n) % WORDS.length]).join(' ');
const metadata = Object.fromEntries(
  Array.from({ length: 250 }, (_, n) => [`key${n}`, `${n} ${'x'.repeat(85)}`]),
);

using directory = temporaryDirectory();
const budget = { GATEHOUSE_SEARCH_TIME_LINK: '250', GATEHOUSE_RATE_LIMIT_CHAT: '0' };
await using service = await startExisting(directory.path, budget);
const client = clientOf(service.url);
const session = await signIn(client);

async function fill(count: number, extra: object): Promise<string> {
  const { id } = await makeSpace(client, session);
  await inParallel(Array(count).keys().toArray(), 4, async (n) => {
    await addDocument(client, session, id, { fileName: `${n}.txt`, text: sentence(n), ...extra });
  });
  return id;
}

const newSession = async (spaceId: string) =>
  exchangeLink(client, (await makeLink(client, session, { spaceId })).token);

const hostileSpace = await fill(documents, { metadata });
const otherSpace = await fill(OTHER_DOCUMENTS, {});
const hostile = await newSession(hostileSpace);

type Outcomes = Readonly<Record<string, number>>;

/** Starts the hostile searches. Returns a function that stops them and returns the number of responses by status. */
function attack(parallel: number): () => Promise<Outcomes> {
  const workerData: Attack = {
    url: service.url,
    spaceId: hostileSpace,
    session: hostile,
    parallel,
  };
  const worker = new Worker(new URL('./hostile-client.ts', import.meta.url), { workerData });
  return async () => {
    worker.postMessage('stop');
    const [outcomes] = (await once(worker, 'message')) as [Outcomes];
    return outcomes;
  };
}

interface Times {
  readonly search: readonly number[];
  readonly chat: readonly number[];
  /** Statuses of failed requests. */
  readonly failed: readonly number[];
}

/** Sends searches and questions at a steady rate, regardless of the response times. */
async function others(other: Client, as: string): Promise<Times> {
  const times = { search: [] as number[], chat: [] as number[], failed: [] as number[] };
  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  for (let n = 0; n < seconds * perSecond; n += 1) {
    const due = startedAt + (n * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    running.push(
      (async () => {
        const kind = n % CHAT_EVERY === 0 ? 'chat' : 'search';
        const query = sentence(n).slice(0, 30);
        const answer =
          kind === 'chat'
            ? await other('/chat', {
                as,
                body: { messages: [{ role: 'user', parts: [{ type: 'text', text: query }] }] },
              })
            : await other(`/spaces/${otherSpace}/search`, { as, body: { query } });
        if (answer.status !== 200) times.failed.push(answer.status);
        times[kind].push(performance.now() - due);
      })(),
    );
  }
  await Promise.all(running);
  return times;
}

function at(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

const summary = (times: readonly number[]) => ({
  p50Ms: round(at(times, 0.5)),
  p95Ms: round(at(times, 0.95)),
  p99Ms: round(at(times, 0.99)),
});

async function measure(parallel: number) {
  const outcomes: Record<string, number> = {};
  const quiet = async () => others(client, await newSession(otherSpace));
  const beside = async () => {
    const stop = attack(parallel);
    const times = await others(client, await newSession(otherSpace));
    for (const [name, count] of Object.entries(await stop()))
      outcomes[name] = (outcomes[name] ?? 0) + count;
    return times;
  };
  const pairs = await alternate(runs, quiet, beside);
  const all = (kind: 'search' | 'chat') => ({
    alone: summary(pairs.flatMap(({ first }) => first[kind])),
    besideHostile: summary(pairs.flatMap(({ second }) => second[kind])),
    p99Ratio: spread(
      pairs.map(({ first, second }) => at(second[kind], 0.99) / at(first[kind], 0.99)),
    ),
  });
  return {
    search: all('search'),
    chat: all('chat'),
    failedBesideHostile: pairs.flatMap(({ second }) => second.failed),
    hostileOutcomes: outcomes,
  };
}

await others(client, await newSession(otherSpace));
const results: Record<string, unknown> = {};
for (const parallel of PARALLEL) results[`${parallel} parallel searches`] = await measure(parallel);

console.log(
  JSON.stringify(
    {
      claim: 'other spaces beside a hostile widget session',
      machine: machine(),
      options,
      ...results,
    },
    null,
    2,
  ),
);
