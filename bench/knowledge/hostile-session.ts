// Claim: one hostile widget session raises the p99 of other spaces' searches and chats by less than a factor of three. The hostile session
// sends parallel searches, each with 500 different `like` operators over 25 kB of metadata per document. It is measured with the
// default limits of a link and without the limit on searches per minute. Quiet and hostile periods alternate in one run.

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
import type { ChildServer } from '../../packages/server/tests/support/services/child-server.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { alternate } from '../lib/alternate.ts';
import { report } from '../lib/machine.ts';
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
const metadataOf = (document: number) =>
  Object.fromEntries(
    Array.from({ length: 250 }, (_, n) => [`key${n}`, `${n} ${document} ${'x'.repeat(85)}`]),
  );

/** Settings of the service. The time budget of the link applies in both cases. */
const LIMITS = {
  'default limits': {
    GATEHOUSE_RATE_LIMIT_READS_LINK: '120',
    GATEHOUSE_SEARCH_TIME_LINK: '250',
  },
  'without the limit on searches per minute': { GATEHOUSE_SEARCH_TIME_LINK: '250' },
};
/** Number of links over which the other space spreads its requests, so that none reaches a limit. */
const OTHER_LINKS = 10;

type Fill = Readonly<{
  client: Client;
  session: string;
  count: number;
  extra?: (document: number) => object;
}>;

async function fill({ client, session, count, extra }: Fill): Promise<string> {
  const { id } = await makeSpace(client, session);
  await inParallel(Array(count).keys().toArray(), 4, async (n) => {
    await addDocument(client, session, id, {
      fileName: `${n}.txt`,
      text: sentence(n),
      ...extra?.(n),
    });
  });
  return id;
}

interface Setting {
  readonly service: ChildServer;
  readonly client: Client;
  readonly session: string;
  readonly hostileSpace: string;
  readonly otherSpace: string;
}

async function newSession({ client, session }: Setting, spaceId: string): Promise<string> {
  return exchangeLink(client, (await makeLink(client, session, { spaceId })).token);
}

type Outcomes = Readonly<Record<string, number>>;

/** Starts the hostile searches. Returns a function that stops them and returns the number of responses by status. */
async function attack(setting: Setting, parallel: number): Promise<() => Promise<Outcomes>> {
  const spaceId = setting.hostileSpace;
  const hostile = await newSession(setting, spaceId);
  const workerData: Attack = { url: setting.service.url, spaceId, session: hostile, parallel };
  const worker = new Worker(new URL('./hostile-client.ts', import.meta.url), { workerData });
  await once(worker, 'message');
  worker.postMessage('start');
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
async function others(setting: Setting): Promise<Times> {
  const { client, otherSpace } = setting;
  const sessions: string[] = [];
  while (sessions.length < OTHER_LINKS) sessions.push(await newSession(setting, otherSpace));
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
        const as = sessions[Math.floor(n / CHAT_EVERY) % OTHER_LINKS];
        const answer =
          kind === 'chat'
            ? await client('/chat', {
                as,
                body: { messages: [{ role: 'user', parts: [{ type: 'text', text: query }] }] },
              })
            : await client(`/spaces/${otherSpace}/search`, { as, body: { query } });
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

async function measure(setting: Setting, parallel: number) {
  const outcomes: Record<string, number> = {};
  const quiet = () => others(setting);
  const beside = async () => {
    const stop = await attack(setting, parallel);
    const times = await others(setting);
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

async function measureAll(env: Readonly<Record<string, string>>) {
  using directory = temporaryDirectory();
  await using service = await startExisting(directory.path, env);
  const client = clientOf(service.url);
  const session = await signIn(client);
  const hostileSpace = await fill({
    client,
    session,
    count: documents,
    extra: (document) => ({ metadata: metadataOf(document) }),
  });
  const otherSpace = await fill({ client, session, count: OTHER_DOCUMENTS });
  const setting = { service, client, session, hostileSpace, otherSpace };
  await others(setting);
  const results: Record<string, unknown> = {};
  for (const parallel of PARALLEL)
    results[`${parallel} parallel searches`] = await measure(setting, parallel);
  return results;
}

const results: Record<string, unknown> = {};
for (const [name, env] of Object.entries(LIMITS)) results[name] = await measureAll(env);

report('other spaces beside a hostile widget session', {
  options,
  ...results,
});
