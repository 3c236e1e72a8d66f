import { Kysely, sql } from 'kysely';
import type { WorkOwner } from '../../../lib/scheduling/index.ts';
import { type ReadLimits, ReadThread } from '../../../lib/threads/index.ts';
import { type KnowledgeEngine, ORDERS, type StoredPassage } from '../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase, KnowledgeTables } from '../../ports/tables/knowledge.ts';
import type { WriteAtomically, WriteIf } from '../../ports/transactions.ts';
import { createDialect, type Read } from '../dialect.ts';
import type { Select } from '../reads/select-thread.ts';
import { type StatementResult, toSqlite } from '../statements.ts';
import type { Writer } from '../writer/writer.ts';
import { createPassageIndex } from './passage-index.ts';
import { permits, permitsRow } from './permits.ts';
import type { RankingRequest, RankingResult } from './ranking/ranking-thread.ts';
import { MAX_PASSAGES } from './rowids.ts';
import { selectsOf } from './scope-selects.ts';
import type { NearestRequest, NearestResult } from './vectors/nearest-thread.ts';
import { createVectorIndex } from './vectors/vector-index.ts';

const BACKGROUND: WorkOwner = { spaceId: 'background', caller: null };

export interface SqliteKnowledge extends KnowledgeEngine, AsyncDisposable {}

export interface SqliteKnowledgeOptions {
  readonly file: string;
  readonly read: Read;
  readonly writer: Writer;
  readonly writeAtomically: WriteAtomically;
  readonly writeIf: WriteIf;
  readonly limits: ReadLimits;
}

/** Creates the knowledge engine. Dispose of the engine before the writer. */
export function createKnowledgeEngine({
  file,
  read,
  writer,
  writeAtomically,
  writeIf,
  limits,
}: SqliteKnowledgeOptions): SqliteKnowledge {
  const thread = new ReadThread<Select, StatementResult>({
    script: new URL('../reads/select-thread.ts', import.meta.url),
    name: 'sqlite-knowledge',
    database: { file },
    limits,
  });
  const scanFor =
    (owner: WorkOwner): Read =>
    (sql, parameters) =>
      thread.read({ sql, parameters }, owner);
  const rankingThread = new ReadThread<RankingRequest, RankingResult>({
    script: new URL('./ranking/ranking-thread.ts', import.meta.url),
    name: 'sqlite-ranking',
    database: { file },
    limits,
  });
  // Vector search has its own thread, so that it runs in parallel with keyword search.
  const vectorThread = new ReadThread<NearestRequest, NearestResult>({
    script: new URL('./vectors/nearest-thread.ts', import.meta.url),
    name: 'sqlite-vectors',
    database: { file },
    limits,
  });
  const open = (reads: Read): KnowledgeDatabase =>
    new Kysely<KnowledgeTables>({ dialect: createDialect(reads, writer) });
  const db = open(read);
  return {
    db,
    writeIf,
    forUpdate: (query) => query,
    documents: (scope, query, page) => {
      // Without a page, the conditions of the query select few documents.
      const inScope = open(scanFor(scope))
        .selectFrom('documents')
        .where('documents.space_id', '=', scope.spaceId)
        .where(page === undefined ? permitsRow(scope) : permits(scope));
      if (page === undefined) return query(inScope).execute();
      const { after, count, order = 'oldest' } = page;
      const by = ORDERS[order];
      const ordered = inScope.orderBy('documents.id', by.direction).limit(count);
      return query(
        after === null ? ordered : ordered.where('documents.id', by.after, after),
      ).execute();
    },
    admit: (owner) => rankingThread.admit(owner),
    charge: ({ caller }, ms) => {
      if (caller !== null) limits.budgets?.charge(caller, ms);
    },
    // If the space is not in memory, a search waits until the thread has loaded it.
    search: async (scope, query, limit, signal) => {
      const request = { spaceId: scope.spaceId, selects: selectsOf(db, scope), query, limit };
      return rankingThread.read(request, scope, signal);
    },
    passages: createPassageReads(db, scanFor),
    nearest: async (scope, { model, vector }, limit, signal) => {
      const { spaceId } = scope;
      const request = { spaceId, selects: selectsOf(db, scope), model, vector, limit };
      return vectorThread.read(request, scope, signal);
    },
    index: createPassageIndex(db, read, writeAtomically),
    vectors: createVectorIndex(db, scanFor(BACKGROUND)),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([thread.close(), rankingThread.close(), vectorThread.close()]);
    },
  };
}

/** Creates the reads of a document's passages. Rowids exceed the integer range of doubles, so they are never read into JavaScript. */
function createPassageReads(
  db: KnowledgeDatabase,
  readFor: (owner: WorkOwner) => Read,
): KnowledgeEngine['passages'] {
  return async (scope, documentId, from, limit) => {
    // A negative position would select passages of another document.
    const first = Math.max(0, from);
    const query = sql`
      select passages.id % ${sql.lit(MAX_PASSAGES)} as position, passages.heading, passages.text
      from documents
      cross join passages on passages.id
        between documents.number * ${sql.lit(MAX_PASSAGES)} + cast(${first} as integer)
        and documents.number * ${sql.lit(MAX_PASSAGES)} + ${sql.lit(MAX_PASSAGES - 1)}
      where documents.space_id = ${scope.spaceId} and documents.id = ${documentId}
        and documents.state = 'ready' and ${permitsRow(scope)}
      order by passages.id
      limit ${limit}`;
    const { sql: text, parameters } = query.compile(db);
    const { rows } = await readFor(scope)(text, toSqlite(parameters));
    return rows as unknown as StoredPassage[];
  };
}
