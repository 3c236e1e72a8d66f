import type { Clock } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import {
  type DocumentKey,
  inTransaction,
  type KnowledgeDatabase,
  type KnowledgeEngine,
} from '../../storage/ports/index.ts';
import { spaceGone } from '../documents/document.errors.ts';

/**
 * Milliseconds after which the indexer removes a staged original. Longer than a request may take, so that only originals of
 * crashed processes are removed.
 */
const STAGED_MS = 5 * 60_000;

export interface StagedOriginalsDeps {
  readonly engine: KnowledgeEngine;
  readonly clock: Clock;
  /** Called when there are discarded originals to remove. */
  readonly onWork: () => void;
}

export type StagedOriginals = ReturnType<typeof createStagedOriginals>;

/**
 * Creates the repository of originals that are stored part by part while they are uploaded. Until `claimStaged`, no document has
 * the number of a staged original, so no read finds its parts. A row of `document_remains` ensures that the indexer removes the
 * parts if the process crashes.
 */
export function createStagedOriginals({ engine, clock, onWork }: StagedOriginalsDeps) {
  const { db, index } = engine;
  return {
    /** Reserves a document number. Throws 403 if the space no longer exists. */
    begin(spaceId: string): Promise<DocumentKey> {
      return inTransaction(db, async (trx) => {
        const number = await index.nextNumber(trx, spaceId);
        if (number === null) throw spaceGone();
        await trx
          .insertInto('document_remains')
          .values({ space_id: spaceId, number, due_at: clock() + STAGED_MS })
          .execute();
        return { spaceId, number };
      });
    },

    /** Throws `StorageUnavailable` if the indexer has removed the original, because the upload took too long. */
    addPart(document: DocumentKey, part: number, bytes: Uint8Array): Promise<void> {
      return inTransaction(db, async (trx) => {
        const row = await staged(trx, document).select('due_at').executeTakeFirst();
        if (row === undefined) throw new StorageUnavailable('overloaded');
        await trx
          .insertInto('document_parts')
          .values({ space_id: document.spaceId, document: document.number, part, bytes })
          .execute();
      });
    },

    /** Lets the indexer remove a staged original now. Does nothing if a document has claimed it. */
    async discard({ spaceId, number }: DocumentKey): Promise<void> {
      const { numUpdatedRows } = await db
        .updateTable('document_remains')
        .set({ due_at: 0 })
        .where('space_id', '=', spaceId)
        .where('number', '=', number)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) onWork();
    },
  };
}

/**
 * Makes the parts of a staged original the original of the document with its number. Call it in the transaction that inserts the
 * document. Throws `StorageUnavailable` if the indexer has removed the parts.
 */
export async function claimStaged(trx: KnowledgeDatabase, document: DocumentKey): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('document_remains')
    .where('space_id', '=', document.spaceId)
    .where('number', '=', document.number)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw new StorageUnavailable('overloaded');
}

function staged(trx: KnowledgeDatabase, { spaceId, number }: DocumentKey) {
  return trx
    .selectFrom('document_remains')
    .where('space_id', '=', spaceId)
    .where('number', '=', number);
}
