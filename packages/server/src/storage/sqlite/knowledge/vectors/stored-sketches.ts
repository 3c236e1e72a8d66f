import type { DatabaseSync } from 'node:sqlite';
import { PASSAGES_PER_ROW } from '../../../vectors/chunks.ts';
import type { SketchReads, StoredDocument, StoredSketches } from '../../../vectors/loaded/index.ts';
import { MAX_DOCUMENTS, MAX_PASSAGES, rowidsOfDocument } from '../rowids.ts';

/** The plus signs prevent SQLite from building a temporary index of all sketches for each statement. */
const IS_OF_KIND = '+document_sketches.model = ? and +document_sketches.dimensions = ?';

/** Prepares the reads of sketches. The returned function creates the reads of a space. */
export function prepareSketchReads(db: DatabaseSync): (spaceId: string) => SketchReads {
  const space = db.prepare('select number from knowledge_spaces where space_id = ?');
  // With `not indexed`, SQLite reads documents in the order of their numbers. Otherwise every step would sort all remaining documents.
  const rows = db.prepare(
    `select documents.number, document_sketches.id % ${MAX_PASSAGES}, document_sketches.sketches
     from documents not indexed
     cross join document_sketches on document_sketches.id
       between documents.number * ${MAX_PASSAGES} and documents.number * ${MAX_PASSAGES} + ${MAX_PASSAGES - 1}
     where documents.number > ? and documents.number < ? and documents.space_id = ? and documents.state = 'ready'
       and ${IS_OF_KIND}
     order by documents.number, document_sketches.id`,
  );
  rows.setReturnArrays(true);
  const ofDocument = db.prepare(
    `select document_sketches.id % ${MAX_PASSAGES} as first, document_sketches.sketches
     from documents
     cross join document_sketches on document_sketches.id between ? and ?
     where documents.number = ? and documents.space_id = ? and documents.state = 'ready'
       and ${IS_OF_KIND}
     order by document_sketches.id`,
  );
  const vector = db.prepare(
    'select substr(vectors, ?, ?) as vector from document_vectors where id = ?',
  );
  vector.setReturnArrays(true);

  return (spaceId) => ({
    *documents({ model, dimensions }, after) {
      const number = space.get(spaceId)?.['number'];
      if (number === undefined) return;
      const start = Number(number) * MAX_DOCUMENTS;
      const from = Math.max(after, start);
      const found = rows.iterate(from, start + MAX_DOCUMENTS, spaceId, model, dimensions);
      yield* grouped(found as Iterable<unknown> as Iterable<Row>);
    },

    sketchesOf: ({ model, dimensions }, numbers) =>
      numbers.map((number) => {
        const [from, to] = rowidsOfDocument(number);
        const found = ofDocument.all(from, to, number, spaceId, model, dimensions);
        return { number, rows: found as unknown as readonly StoredSketches[] };
      }),

    vectorsOf: (passages, dimensions) =>
      passages.map(({ number, position }) => {
        const offset = position % PASSAGES_PER_ROW;
        const id = BigInt(number) * BigInt(MAX_PASSAGES) + BigInt(position - offset);
        const row = vector.get(offset * dimensions + 1, dimensions, id) as unknown;
        return ((row ?? []) as readonly Uint8Array[])[0];
      }),
  });
}

type Row = readonly [number: number, first: number, sketches: Uint8Array];

function* grouped(found: Iterable<Row>): Generator<StoredDocument> {
  let number = 0;
  let rows: StoredSketches[] = [];
  for (const [next, first, sketches] of found) {
    if (next !== number) {
      if (rows.length > 0) yield { number, rows };
      number = next;
      rows = [];
    }
    rows.push({ first, sketches });
  }
  if (rows.length > 0) yield { number, rows };
}
