import { sql } from 'kysely';
import { inTransaction } from '../../../../ports/in-transaction.ts';
import type {
  DocumentKey,
  KnowledgeDatabase,
  UnembeddedPiece,
  VectorIndex,
} from '../../../../ports/knowledge-engine.ts';
import { type PackedPiece, pack } from '../../../vectors/pack.ts';
import { firstMissing, PASSAGES_PER_ROW } from '../../../vectors/pieces.ts';

const DOCUMENTS_PER_STEP = 500;

interface Waiting extends DocumentKey {
  readonly name: string;
  readonly passages: number;
}

export function createVectorIndex(db: KnowledgeDatabase): VectorIndex {
  async function piece(
    model: string,
    { spaceId, number, name, passages }: Waiting,
  ): Promise<UnembeddedPiece> {
    const there = await sql<{ position: number }>`
      select position from document_sketches
      where space_id = ${spaceId} and document = ${number} and model = ${model}
      order by position`.execute(db);
    const missing = firstMissing(
      passages,
      there.rows.map(({ position }) => position),
    );
    if (missing === null) return { spaceId, number, first: 0, isLast: true, texts: [] };
    const { rows } = await sql<{ heading: string | null; text: string }>`
      select heading, text from passages
      where space_id = ${spaceId} and document = ${number} and position >= ${missing.first}
      order by position limit ${sql.lit(PASSAGES_PER_ROW)}`.execute(db);
    const texts = rows.map(({ heading, text }) =>
      [name, heading, text].filter((part) => part !== null).join('\n'),
    );
    return { spaceId, number, ...missing, texts };
  }

  return {
    async queueOthers(model) {
      const { numAffectedRows = 0n } = await sql`
        update documents set embedded_by = null where (space_id, number) in (
          select space_id, number from documents where embedded_by <> ${model}
          limit ${sql.lit(DOCUMENTS_PER_STEP)}
        )`.execute(db);
      return numAffectedRows === 0n;
    },

    async next(model, after, documents) {
      const { rows } = await sql<Waiting>`
        select space_id as "spaceId", number, coalesce(title, file_name) as name, passages
        from documents
        where state = 'ready' and embedded_by is null and number > ${after}
        order by number limit ${documents}::int`.execute(db);
      const pieces: UnembeddedPiece[] = [];
      let texts = 0;
      for (const document of rows) {
        const next = await piece(model, document);
        texts += next.texts.length;
        if (pieces.length > 0 && texts > PASSAGES_PER_ROW) break;
        pieces.push(next);
      }
      return pieces;
    },

    async keep(model, pieces) {
      // Before the transaction, which may be run again.
      const packed = pieces.map(pack);
      await inTransaction(db, async (trx) => {
        for (const piece of packed) await keepPiece(trx, model, piece);
      });
    },
  };
}

/**
 * Deleted while the model worked on it, a document must not get vectors that nobody would remove: its
 * row is asked inside of the transaction.
 */
async function keepPiece(
  trx: KnowledgeDatabase,
  model: string,
  { spaceId, number, first, isLast, dimensions, sketches, bytes }: PackedPiece,
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
