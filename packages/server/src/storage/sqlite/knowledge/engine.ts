import { Kysely, sql } from 'kysely';
import { AskThread } from '../../../lib/threads/index.ts';
import type {
  KnowledgeDatabase,
  KnowledgeEngine,
  KnowledgeTables,
} from '../../ports/knowledge-engine.ts';
import { createDialect, type Read } from '../dialect.ts';
import type { Select } from '../reads/select-thread.ts';
import type { StatementResult } from '../statements.ts';
import type { Writer } from '../writer/writer.ts';
import { createPassageIndex } from './passage-index.ts';
import { permits } from './permits.ts';
import { createSearch } from './search.ts';
import { createNearest, type NearestThread } from './vectors/nearest.ts';
import { createVectorIndex } from './vectors/vector-index.ts';

/** Takes its turn among the spaces, whose ids it cannot be. */
const IN_BACKGROUND = 'in the background';

export interface SqliteKnowledge extends KnowledgeEngine, AsyncDisposable {}

export interface SqliteKnowledgeOptions {
  readonly file: string;
  /** Reads on this thread. */
  readonly read: Read;
  readonly writer: Writer;
}

/** Knowledge in the embedded store. To be disposed before the writer. */
export function createKnowledgeEngine({
  file,
  read,
  writer,
}: SqliteKnowledgeOptions): SqliteKnowledge {
  const script = new URL('../reads/select-thread.ts', import.meta.url);
  const thread = new AskThread<Select, StatementResult>(script, 'sqlite-knowledge', { file });
  const scanFor =
    (spaceId: string, signal?: AbortSignal): Read =>
    (sql, parameters) =>
      thread.ask({ sql, parameters }, spaceId, signal);
  // Another, so that a search by vectors goes on beside the one by words and keeps none of them waiting.
  const near: NearestThread = new AskThread(
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
    // The conditions look values up themselves.
    likelyDocuments: async () => sql`documents`,
    ...createSearch(db, scanFor),
    nearest: createNearest(db, scanFor, near),
    index: createPassageIndex(db, read),
    vectors: createVectorIndex(db, scanFor(IN_BACKGROUND)),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([thread.close(), near.close()]);
    },
  };
}
