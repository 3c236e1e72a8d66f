// Claim: the service adds at most 10 ms (p50) to the time until the first part of an answer arrives.

import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { machine } from '../lib/machine.ts';
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
  questions: 200,
  everyMs: 50,
  firstMs: 50,
  runs: 5,
});
const withinMs = options.questions * options.everyMs;

using directory = temporaryDirectory();
const { key } = await provisionKnowledge(directory.path, options.passages);
await using model = await startModel({ firstMs: options.firstMs, pauseMs: 20, parts: 5 });
await using service = await startExisting(directory.path, settingsFor(model));
const sessions = await openSessions(clientOf(service.url), key, options.questions);
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
};

function throughService(textOf: (index: number) => string): Promise<StreamsResult> {
  const requests = sessions.map((session, index) => question(session, textOf(index)));
  return spawnStreams({ port: service.port, requests, mark: MARK, withinMs });
}

const rounds: Record<keyof typeof ask, StreamsResult>[] = [];
for (let run = 0; run <= options.runs; run += 1) {
  const round = { bare: await ask.bare(), unknown: await ask.unknown(), known: await ask.known() };
  // The first round is a warm-up.
  if (run === 0) continue;
  rounds.push(round);
  process.stderr.write(`run ${run} of ${options.runs}\n`);
}

function added(kind: 'unknown' | 'known') {
  const over = (time: 'p50' | 'p99') =>
    spread(rounds.map((round) => round[kind].firstPart[time] - round.bare.firstPart[time]));
  return {
    p50Ms: over('p50'),
    p99Ms: over('p99'),
    firstByteP50Ms: spread(rounds.map((round) => round[kind].firstByte.p50)),
  };
}

console.log(
  JSON.stringify(
    {
      claim: 'time that the service adds until the first part of an answer',
      machine: machine(),
      options,
      model: { p50Ms: spread(rounds.map(({ bare }) => bare.firstPart.p50)) },
      addedWithPassages: added('known'),
      addedWithout: added('unknown'),
      targets: { p50Ms: 10 },
    },
    null,
    2,
  ),
);
