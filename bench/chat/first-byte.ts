// Claim: the service adds at most 10 ms (p50) to the time until the first part of an answer arrives, also with tools and with records.

import { randomUUID } from 'node:crypto';

import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import {
  ORDERS,
  projectionsOf,
} from '../../packages/server/tests/support/knowledge/projections.ts';
import { signIn } from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { provisionKnowledge, someQueries } from '../lib/searches.ts';
import { startExisting } from '../lib/service.ts';
import { spread } from '../lib/spread.ts';
import type { StreamsResult } from './read-streams.ts';
import {
  BARE_MARK,
  bareQuestion,
  MARK,
  openSessions,
  question,
  settingsFor,
  startModel,
} from './setting.ts';
import { spawnStreams } from './spawn-streams.ts';

const options = numberOptions({
  passages: 30_000,
  records: 2000,
  questions: 200,
  everyMs: 50,
  firstMs: 50,
  runs: 5,
});
const EVENTS_PER_REQUEST = 100;
const TOOLS = Array.from({ length: 5 }, (_, index) => ({
  name: `show_item_${index}`,
  description: 'Shows an item of the shop.',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
}));
const withinMs = options.questions * options.everyMs;

using directory = temporaryDirectory();
const { key, spaceId } = await provisionKnowledge(directory.path, options.passages);
await using model = await startModel({ firstMs: options.firstMs, pauseMs: 20, parts: 5 });
await using service = await startExisting(directory.path, settingsFor(model));
const client = clientOf(service.url);
const sessions = await openSessions(client, key, options.questions);
const queries = someQueries(options.questions);

const ask = {
  bare: () =>
    spawnStreams({
      port: model.port,
      requests: queries.map(bareQuestion),
      mark: BARE_MARK,
      withinMs,
    }),
  unknown: () => throughService(() => 'zzyzx qqfrob'),
  known: () => throughService((index) => queries[index] ?? ''),
  // Like the questions of the widget.
  resumable: () => throughService((index) => queries[index] ?? '', [], true),
  tools: () => throughService((index) => queries[index] ?? '', TOOLS),
  records: () => throughService((index) => `Where is order n${index % options.records}?`),
};

function throughService(
  textOf: (index: number) => string,
  pageTools: readonly object[] = [],
  resumable = false,
): Promise<StreamsResult> {
  const requests = sessions.map((session, index) =>
    question(session, textOf(index), pageTools, undefined, resumable),
  );
  return spawnStreams({ port: service.port, requests, mark: MARK, withinMs });
}

const projections = projectionsOf(client, await signIn(client), spaceId);
const { id: projectionId } = await projections.create(ORDERS);
for (let at = 0; at < options.records; at += EVENTS_PER_REQUEST) await sendOrders(at);
await projections.untilCurrent(projectionId);

async function sendOrders(first: number): Promise<void> {
  const events = Array.from({ length: EVENTS_PER_REQUEST }, (_, index) => ({
    specversion: '1.0',
    id: randomUUID(),
    source: 'urn:bench:shop',
    type: 'test.order.changed',
    subject: `n${first + index}`,
    data: { status: 'placed', customer: 'ada' },
  }));
  const answer = await client('/events', { as: key, body: { events } });
  if (answer.status !== 200) throw new Error(answer.text);
}

const rounds: Record<keyof typeof ask, StreamsResult>[] = [];
for (let run = 0; run <= options.runs; run += 1) {
  const round = {
    bare: await ask.bare(),
    unknown: await ask.unknown(),
    known: await ask.known(),
    resumable: await ask.resumable(),
    tools: await ask.tools(),
    records: await ask.records(),
  };
  // The first round is a warm-up.
  if (run === 0) continue;
  rounds.push(round);
  process.stderr.write(`run ${run} of ${options.runs}\n`);
}

function added(kind: Exclude<keyof typeof ask, 'bare'>) {
  const over = (time: 'p50' | 'p99') =>
    spread(rounds.map((round) => round[kind].firstPart[time] - round.bare.firstPart[time]));
  return {
    p50Ms: over('p50'),
    p99Ms: over('p99'),
    firstByteP50Ms: spread(rounds.map((round) => round[kind].firstByte.p50)),
  };
}

report('time that the service adds until the first part of an answer', {
  options,
  model: { p50Ms: spread(rounds.map(({ bare }) => bare.firstPart.p50)) },
  addedWithPassages: added('known'),
  addedWithout: added('unknown'),
  addedIfResumable: added('resumable'),
  addedWithTools: added('tools'),
  addedWithRecords: added('records'),
  targets: { p50Ms: 10 },
});
