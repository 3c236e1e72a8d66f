import { Kysely, sql } from 'kysely';
import { AskThread } from '../../../lib/threads/index.ts';
import type {
  KnowledgeDatabase,
  KnowledgeEngine,
  KnowledgeTables,
} from '../../ports/knowledge-engine.ts';
import type { WriteAtomically } from '../../ports/transactions.ts';
import { createDialect, type Read } from '../dialect.ts';
import type { Select } from '../reads/select-thread.ts';
import type { StatementResult } from '../statements.ts';
import type { Writer } from '../writer/writer.ts';
import { createPassageIndex } from './passage-index.ts';
import { createPassageReads } from './passages.ts';
import { permits } from './permits.ts';
import { createRankedSearch, type RankingThread } from './ranking/ranked-search.ts';
import { createNearest, type NearestThread } from './vectors/nearest.ts';
import { createVectorIndex } from './vectors/vector-index.ts';

const BACKGROUND = 'background';

export interface SqliteKnowledge extends KnowledgeEngine, AsyncDisposable {}

export interface SqliteKnowledgeOptions {
  readonly file: string;
  readonly read: Read;
  readonly writer: Writer;
  readonly writeAtomically: WriteAtomically;
}

/** Creates the knowledge engine. Dispose of the engine before the writer. */
export function createKnowledgeEngine({
  file,
  read,
  writer,
  writeAtomically,
}: SqliteKnowledgeOptions): SqliteKnowledge {
  const script = new URL('../reads/select-thread.ts', import.meta.url);
  const thread = new AskThread<Select, StatementResult>(script, 'sqlite-knowledge', { file });
  const scanFor =
    (spaceId: string, signal?: AbortSignal): Read =>
    (sql, parameters) =>
      thread.ask({ sql, parameters }, spaceId, signal);
  const rankingThread: RankingThread = new AskThread(
    new URL('./ranking/ranking-thread.ts', import.meta.url),
    'sqlite-ranking',
    { file },
  );
  // A third thread, so that vector search and keyword search run in parallel.
  const vectorThread: NearestThread = new AskThread(
    new URL('./vectors/nearest-thread.ts', import.meta.url),
    'sqlite-vectors',
    { file },
  );
  const open = (reads: Read): KnowledgeDatabase =>
    new Kysely<KnowledgeTables>({ dialect: createDialect(reads, writer) });
  const db = open(read);
  return {
    db,
    scanning: ({ spaceId }) => open(scanFor(spaceId)),
    permits,
    // `permits` already uses the index of values.
    likelyDocuments: async () => sql`documents`,
    search: createRankedSearch(db, rankingThread),
    passages: createPassageReads(db, scanFor),
    nearest: createNearest(db, scanFor, vectorThread),
    index: createPassageIndex(db, read, writeAtomically),
    vectors: createVectorIndex(db, scanFor(BACKGROUND)),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([thread.close(), rankingThread.close(), vectorThread.close()]);
    },
  };
}
