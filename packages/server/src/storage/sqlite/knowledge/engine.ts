import { Kysely } from 'kysely';
import type { WorkOwner } from '../../../lib/scheduling/index.ts';
import { type ReadLimits, ReadThread } from '../../../lib/threads/index.ts';
import type { KnowledgeEngine } from '../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase, KnowledgeTables } from '../../ports/tables/knowledge.ts';
import type { WriteAtomically, WriteIf } from '../../ports/transactions.ts';
import { createDialect, type Read } from '../dialect.ts';
import type { Select } from '../reads/select-thread.ts';
import type { StatementResult } from '../statements.ts';
import type { Writer } from '../writer/writer.ts';
import { createDocumentReads } from './documents.ts';
import { createPassageIndex } from './passage-index.ts';
import { createPassageReads } from './passages.ts';
import { createRankedSearch, type RankingThread } from './ranking/ranked-search.ts';
import { createNearest, type NearestThread } from './vectors/nearest.ts';
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
    (owner: WorkOwner, signal?: AbortSignal): Read =>
    (sql, parameters) =>
      thread.read({ sql, parameters }, owner, signal);
  const rankingThread: RankingThread = new ReadThread({
    script: new URL('./ranking/ranking-thread.ts', import.meta.url),
    name: 'sqlite-ranking',
    database: { file },
    limits,
  });
  // Vector search has its own thread, so that it runs in parallel with keyword search.
  const vectorThread: NearestThread = new ReadThread({
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
    documents: createDocumentReads((owner) => open(scanFor(owner))),
    admit: (owner) => rankingThread.admit(owner),
    charge: ({ caller }, ms) => {
      if (caller !== null) limits.budgets?.charge(caller, ms);
    },
    search: createRankedSearch(db, rankingThread),
    passages: createPassageReads(db, scanFor),
    nearest: createNearest(db, vectorThread),
    index: createPassageIndex(db, read, writeAtomically),
    vectors: createVectorIndex(db, scanFor(BACKGROUND)),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([thread.close(), rankingThread.close(), vectorThread.close()]);
    },
  };
}
