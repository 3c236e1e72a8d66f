/**
 * Runs histories of several replicas in a process whose clocks and network are simulated. Usage:
 *
 *     node --import ./hooks.ts simulate.ts HOST FIRST_SEED COUNT
 *
 * `HOST` is the folder of the socket of a PostgreSQL server. `regressions` instead of `FIRST_SEED COUNT` runs the histories of
 * `regressions.ts`. Prints one line of JSON: a `ReplicaReport`. Stops at the first failure, which it
 * shortens.
 */
import pg from 'pg';
import { maxShrinkingRuns, withoutSome } from '../shrink.ts';
import { Database } from './database.ts';
import { generateReplicaHistory, type ReplicaHistory } from './history.ts';
import { REPLICA_REGRESSIONS } from './regressions.ts';
import { prepareDatabase, runReplicaHistory } from './run.ts';

export interface ReplicaReport {
  readonly count: number;
  /** SQL statements of all replicas. */
  readonly statements: number;
  readonly failure: {
    readonly seed: number;
    readonly message: string;
    readonly shortest: ReplicaHistory;
  } | null;
}

const TEMPLATE = `prepared_${process.pid}`;
const COPY = `history_${process.pid}`;
const MAX_SHRINKING_RUNS = maxShrinkingRuns(300);

const [, , host = '', first = '', count = ''] = process.argv;
const server = new pg.Client({ host, user: 'gatehouse', database: 'postgres' });
await server.connect();
let statements = 0;
const histories =
  first === 'regressions' ? REPLICA_REGRESSIONS : generated(Number(first), Number(count));
process.stdout.write(`${JSON.stringify(await runAll(histories))}\n`);
for (const name of [COPY, TEMPLATE]) await server.query(`drop database if exists ${name}`);
await server.end();

function* generated(from: number, total: number): Generator<ReplicaHistory> {
  for (let seed = from; seed < from + total; seed += 1) yield generateReplicaHistory(seed);
}

async function runAll(all: Iterable<ReplicaHistory>): Promise<ReplicaReport> {
  await server.query(`create database ${TEMPLATE}`);
  await server.query(`alter database ${TEMPLATE} set deadlock_timeout = '20ms'`);
  const prepared = await Database.open({ host, user: 'gatehouse', database: TEMPLATE });
  await prepareDatabase(prepared);
  await prepared.close();
  let done = 0;
  for (const history of all) {
    done += 1;
    if ((await failureOf(history)) === null) continue;
    const shortest = await shortened(history);
    const message = (await failureOf(shortest)) ?? 'The shortened history fails only sometimes.';
    return { count: done, statements, failure: { seed: history.seed, message, shortest } };
  }
  return { count: done, statements, failure: null };
}

async function failureOf(history: ReplicaHistory): Promise<string | null> {
  await server.query(`drop database if exists ${COPY}`);
  await server.query(`create database ${COPY} template ${TEMPLATE}`);
  const database = await Database.open({ host, user: 'gatehouse', database: COPY });
  try {
    return await runReplicaHistory(database, history);
  } finally {
    statements += database.statements;
    await database.close();
  }
}

async function shortened(failing: ReplicaHistory): Promise<ReplicaHistory> {
  let best = failing;
  for (let runs = 0, isShorter = true; isShorter && runs < MAX_SHRINKING_RUNS; ) {
    isShorter = false;
    for (const steps of withoutSome(best.steps)) {
      runs += 1;
      const candidate = { ...best, steps };
      if (runs > MAX_SHRINKING_RUNS || (await failureOf(candidate)) === null) continue;
      best = candidate;
      isShorter = true;
      break;
    }
  }
  return best;
}
