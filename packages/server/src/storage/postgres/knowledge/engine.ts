import { Kysely } from 'kysely';
import type { WorkOwner } from '../../../lib/scheduling/index.ts';
import { type ReadLimits, ReadThread } from '../../../lib/threads/index.ts';
import type { KnowledgeEngine, RankedPassage } from '../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../ports/knowledge-scope.ts';
import type { KnowledgeDatabase, KnowledgeTables } from '../../ports/tables/knowledge.ts';
import { inTransaction, runWrites, type WriteIf } from '../../ports/transactions.ts';
import { createDialect } from '../dialect.ts';
import type { Pool } from '../pool.ts';
import { createDocumentReads } from './documents/documents.ts';
import { createPassageReads } from './documents/passages.ts';
import type { TestedReadThread } from './documents/tested-reads.ts';
import { createPassageIndex } from './passage-index.ts';
import type { RankingRequest } from './ranking/ranking-thread.ts';
import { Reads } from './reads.ts';
import { candidatesOf, selectsOf } from './scope/scope-selects.ts';
import type { SearchRequest, SearchResult } from './scope/search-thread.ts';
import type { NearestRequest } from './vectors/nearest-thread.ts';
import { createVectorIndex } from './vectors/vector-index.ts';

export interface PostgresKnowledge extends KnowledgeEngine, AsyncDisposable {}

export interface PostgresKnowledgeOptions {
  readonly pool: Pool;
  readonly url: string;
  readonly limits: ReadLimits;
}

/** Creates the knowledge engine on PostgreSQL. Dispose of the engine before the pool. */
export function createKnowledgeEngine({
  pool,
  url,
  limits,
}: PostgresKnowledgeOptions): PostgresKnowledge {
  const open = (target: Pool) => new Kysely<KnowledgeTables>({ dialect: createDialect(target) });
  const db = open(pool);
  const reads = new Reads(pool, db, limits);
  const rankingThread: SearchThread<RankingRequest> = new ReadThread({
    script: new URL('./ranking/ranking-thread.ts', import.meta.url),
    name: 'postgres-ranking',
    database: { url },
    limits,
  });
  const nearestThread: SearchThread<NearestRequest> = new ReadThread({
    script: new URL('./vectors/nearest-thread.ts', import.meta.url),
    name: 'postgres-vectors',
    database: { url },
    limits,
  });
  const testedReadThread: TestedReadThread = new ReadThread({
    script: new URL('./documents/tested-read-thread.ts', import.meta.url),
    name: 'postgres-documents',
    database: { url },
    limits,
  });
  const scanningFor = (owner: WorkOwner) =>
    open({
      ...pool,
      read: (sql, parameters) => reads.in(owner, (transaction) => transaction.run(sql, parameters)),
    });
  return {
    db,
    writeIf: createWriteIf(db),
    forUpdate: (query) => query.forUpdate(),
    documents: createDocumentReads(db, scanningFor, testedReadThread),
    admit: (owner) => rankingThread.admit(owner),
    charge: ({ caller }, ms) => {
      if (caller !== null) limits.budgets?.charge(caller, ms);
    },
    search: (scope, query, limit, signal) =>
      searchInScope(rankingThread, db, scope, { query, limit }, signal),
    passages: createPassageReads(db, reads, testedReadThread),
    nearest: (scope, { model, vector }, limit, signal) =>
      searchInScope(nearestThread, db, scope, { model, vector, limit }, signal),
    index: createPassageIndex(db),
    vectors: createVectorIndex(db),
    [Symbol.asyncDispose]: async () => {
      reads.close();
      const threads = [rankingThread, nearestThread, testedReadThread];
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

function createWriteIf(db: KnowledgeDatabase): WriteIf {
  return (condition, writes) =>
    inTransaction(db, async (trx) => {
      const { rows, numAffectedRows = 0n } = await trx.executeQuery(condition.compile());
      if (rows.length === 0 && numAffectedRows === 0n) return false;
      await runWrites(trx, writes);
      return true;
    });
}

type SearchThread<Request extends SearchRequest> = ReadThread<Request, SearchResult>;

/**
 * Searches in a scope. If the space is not in memory, the search waits until the thread has loaded it. Selects the candidates of the scope
 * only if the thread has not cached the scope.
 */
async function searchInScope<Request extends SearchRequest>(
  thread: SearchThread<Request>,
  db: KnowledgeDatabase,
  scope: KnowledgeScope,
  request: Omit<Request, keyof SearchRequest>,
  signal?: AbortSignal,
): Promise<readonly RankedPassage[]> {
  let selects = selectsOf(db, scope);
  for (;;) {
    const inScope = { ...request, scope: selects } as Request;
    const result = await thread.read(inScope, scope, signal);
    if (result !== 'scope') return result;
    selects = { ...selects, candidates: await candidatesOf(db, scope) };
  }
}
