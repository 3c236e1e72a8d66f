import { sql } from 'kysely';
import type { VectorIndex } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { PASSAGES_PER_ROW, type PackedChunk } from '../../../vectors/chunks.ts';
import { createVectorIndexOver, type WaitingDocument } from '../../../vectors/vector-index.ts';
import type { Read } from '../../dialect.ts';
import { MAX_PASSAGES, rowidsOfDocument } from '../rowids.ts';

const DOCUMENTS_PER_STEP = 500;

/** @param read must run outside the event loop, because a step may scan many documents. */
export function createVectorIndex(db: KnowledgeDatabase, read: Read): VectorIndex {
  async function rowsOf<Row>(text: string, ...parameters: (string | number | bigint)[]) {
    return (await read(text, parameters)).rows as unknown as Row[];
  }

  return createVectorIndexOver(db, {
    async queueStale(model) {
      const rows = await rowsOf<{ number: number }>(
        'select number from documents where embedded_by <> ? and projection_id is null limit ?',
        model,
        DOCUMENTS_PER_STEP,
      );
      if (rows.length === 0) return true;
      const numbers = JSON.stringify(rows.map(({ number }) => number));
      await sql`update documents set embedded_by = null
        where number in (select value from json_each(${numbers}))`.execute(db);
      return false;
    },

    async waitingSpace(after) {
      const [row] = await rowsOf<{ spaceId: string }>(
        `select space_id as spaceId from documents
         where state = 'ready' and embedded_by is null and space_id > ? order by space_id limit 1`,
        after,
      );
      return row?.spaceId ?? null;
    },

    waiting: (spaceId, after, documents) =>
      rowsOf<WaitingDocument>(
        `select space_id as spaceId, number, coalesce(title, file_name) as name, passages from documents
         where state = 'ready' and embedded_by is null and space_id = ? and number > ?
         order by number limit ?`,
        spaceId,
        after,
        documents,
      ),

    async kept(model, { number }) {
      const rows = await rowsOf<{ first: number }>(
        `select id % ${MAX_PASSAGES} as first from document_sketches
         where id between ? and ? and model = ? order by id`,
        ...rowidsOfDocument(number),
        model,
      );
      return rows.map(({ first }) => first);
    },

    passages({ number }, first) {
      const [from] = rowidsOfDocument(number, first);
      return rowsOf<{ heading: string | null; text: string }>(
        'select heading, text from passages where id between ? and ? order by id',
        from,
        from + BigInt(PASSAGES_PER_ROW - 1),
      );
    },

    insertChunk,
  });
}

async function insertChunk(
  trx: KnowledgeDatabase,
  model: string,
  { number, first, isLast, dimensions, sketches, bytes }: PackedChunk,
): Promise<void> {
  const ifReady = sql`where exists (select 1 from documents where number = ${number} and state = 'ready')`;
  if (bytes.length > 0) {
    const [id] = rowidsOfDocument(number, first);
    await sql`insert or replace into document_sketches (id, model, dimensions, sketches)
      select ${id}, ${model}, cast(${dimensions} as integer), ${sketches} ${ifReady}`.execute(trx);
    await sql`insert or replace into document_vectors (id, vectors)
      select ${id}, ${bytes} ${ifReady}`.execute(trx);
  }
  // The update also logs the change.
  if (isLast)
    await sql`update documents set embedded_by = ${model}
      where number = ${number} and state = 'ready'`.execute(trx);
  else
    await sql`insert into document_changes (space_id, number, reindexed)
      select space_id, number, 0 from documents
      where number = ${number} and state = 'ready'`.execute(trx);
}

/** Maximum rows per transaction. A row may be as large as 100 KB, and large transactions delay other writes. */
const ROWS_PER_STEP = 20;

export async function deleteSomeVectors(trx: KnowledgeDatabase, number: number): Promise<boolean> {
  const [first, last] = rowidsOfDocument(number);
  const some = sql`select id from document_sketches where id between ${first} and ${last} limit ${ROWS_PER_STEP}`;
  await sql`delete from document_vectors where id in (${some})`.execute(trx);
  const { numAffectedRows } =
    await sql`delete from document_sketches where id in (${some})`.execute(trx);
  return numAffectedRows === 0n;
}
