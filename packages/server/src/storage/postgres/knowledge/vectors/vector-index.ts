import { sql } from 'kysely';
import type { VectorIndex } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { PASSAGES_PER_ROW, type PackedChunk } from '../../../vectors/chunks.ts';
import { createVectorIndexOver, type WaitingDocument } from '../../../vectors/vector-index.ts';

const DOCUMENTS_PER_STEP = 500;

export function createVectorIndex(db: KnowledgeDatabase): VectorIndex {
  return createVectorIndexOver(db, {
    async queueStale(model) {
      const { numAffectedRows = 0n } = await sql`
        update documents set embedded_by = null where (space_id, number) in (
          select space_id, number from documents where embedded_by <> ${model} and projection_id is null
          order by space_id, id limit ${sql.lit(DOCUMENTS_PER_STEP)} for update
        )`.execute(db);
      return numAffectedRows === 0n;
    },

    async waitingSpace(after) {
      const { rows } = await sql<{ spaceId: string }>`
        select space_id as "spaceId" from documents
        where state = 'ready' and embedded_by is null and space_id > ${after}
        order by space_id limit 1`.execute(db);
      return rows[0]?.spaceId ?? null;
    },

    async waiting(spaceId, after, documents) {
      const { rows } = await sql<WaitingDocument>`
        select space_id as "spaceId", number, coalesce(title, file_name) as name, passages
        from documents
        where state = 'ready' and embedded_by is null and space_id = ${spaceId} and number > ${after}
        order by number limit ${documents}::int`.execute(db);
      return rows;
    },

    async kept(model, { spaceId, number }) {
      const { rows } = await sql<{ position: number }>`
        select position from document_sketches
        where space_id = ${spaceId} and document = ${number} and model = ${model}
        order by position`.execute(db);
      return rows.map(({ position }) => position);
    },

    async passages({ spaceId, number }, first) {
      const { rows } = await sql<{ heading: string | null; text: string }>`
        select heading, text from passages
        where space_id = ${spaceId} and document = ${number} and position >= ${first}
        order by position limit ${sql.lit(PASSAGES_PER_ROW)}`.execute(db);
      return rows;
    },

    async lock(trx, documents) {
      const keys = documents.map(({ spaceId, number }) => sql`(${spaceId}, ${number}::bigint)`);
      await sql`select from documents where (space_id, number) in (values ${sql.join(keys)})
        order by space_id, id for update`.execute(trx);
    },

    insertChunk,
  });
}

async function insertChunk(
  trx: KnowledgeDatabase,
  model: string,
  { spaceId, number, first, isLast, dimensions, sketches, bytes }: PackedChunk,
): Promise<void> {
  const there = sql`from documents
    where space_id = ${spaceId} and number = ${number} and state = 'ready'`;
  if (bytes.length > 0) {
    await sql`insert into document_sketches
        (space_id, document, position, model, dimensions, sketches)
      select space_id, number, ${first}, ${model}, ${dimensions}, ${sketches} ${there}
      on conflict (space_id, document, position) do update set model = excluded.model,
        dimensions = excluded.dimensions, sketches = excluded.sketches`.execute(trx);
    await sql`insert into document_vectors (space_id, document, position, vectors)
      select space_id, number, ${first}, ${bytes} ${there}
      on conflict (space_id, document, position)
      do update set vectors = excluded.vectors`.execute(trx);
  }
  if (isLast)
    await sql`update documents set embedded_by = ${model}
      where space_id = ${spaceId} and number = ${number} and state = 'ready'`.execute(trx);
}
