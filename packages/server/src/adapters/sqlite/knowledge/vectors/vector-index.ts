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
import type { Read } from '../../dialect.ts';
import { MAX_PASSAGES, rowidsOfDocument } from '../numbers.ts';

const DOCUMENTS_PER_STEP = 500;

interface Waiting extends DocumentKey {
  readonly name: string;
  readonly passages: number;
}

/** @param read off the event loop, since a step may look at many documents. */
export function createVectorIndex(db: KnowledgeDatabase, read: Read): VectorIndex {
  async function rowsOf<Row>(text: string, ...parameters: (string | number | bigint)[]) {
    return (await read(text, parameters)).rows as unknown as Row[];
  }

  async function piece(model: string, { spaceId, number, name, passages }: Waiting) {
    const there = await rowsOf<{ first: number }>(
      `select id % ${MAX_PASSAGES} as first from document_sketches
       where id between ? and ? and model = ? order by id`,
      ...rowidsOfDocument(number),
      model,
    );
    const missing = firstMissing(
      passages,
      there.map(({ first }) => first),
    );
    if (missing === null) return { spaceId, number, first: 0, isLast: true, texts: [] };
    const [from] = rowidsOfDocument(number, missing.first);
    const rows = await rowsOf<{ heading: string | null; text: string }>(
      'select heading, text from passages where id between ? and ? order by id',
      from,
      from + BigInt(PASSAGES_PER_ROW - 1),
    );
    const texts = rows.map(({ heading, text }) =>
      [name, heading, text].filter((part) => part !== null).join('\n'),
    );
    return { spaceId, number, ...missing, texts };
  }

  return {
    async queueOthers(model) {
      const rows = await rowsOf<{ number: number }>(
        'select number from documents where embedded_by <> ? limit ?',
        model,
        DOCUMENTS_PER_STEP,
      );
      if (rows.length === 0) return true;
      const numbers = JSON.stringify(rows.map(({ number }) => number));
      await sql`update documents set embedded_by = null
        where number in (select value from json_each(${numbers}))`.execute(db);
      return false;
    },

    async next(model, after, documents) {
      const waiting = await rowsOf<Waiting>(
        `select space_id as spaceId, number, coalesce(title, file_name) as name, passages from documents
         where state = 'ready' and embedded_by is null and number > ? order by number limit ?`,
        after,
        documents,
      );
      const pieces: UnembeddedPiece[] = [];
      let texts = 0;
      for (const document of waiting) {
        const next = await piece(model, document);
        texts += next.texts.length;
        if (pieces.length > 0 && texts > PASSAGES_PER_ROW) break;
        pieces.push(next);
      }
      return pieces;
    },

    async keep(model, pieces) {
      // Before the transaction, which has the writer alone.
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
  { number, first, isLast, dimensions, sketches, bytes }: PackedPiece,
): Promise<void> {
  const there = sql`where exists (select 1 from documents where number = ${number} and state = 'ready')`;
  if (bytes.length > 0) {
    const [id] = rowidsOfDocument(number, first);
    await sql`insert or replace into document_sketches (id, model, dimensions, sketches)
      select ${id}, ${model}, cast(${dimensions} as integer), ${sketches} ${there}`.execute(trx);
    await sql`insert or replace into document_vectors (id, vectors)
      select ${id}, ${bytes} ${there}`.execute(trx);
  }
  if (isLast)
    await sql`update documents set embedded_by = ${model}
      where number = ${number} and state = 'ready'`.execute(trx);
}
