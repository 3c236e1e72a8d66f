import { PASSAGES_PER_ROW } from '../../../vectors/chunks.ts';
import type { SketchReads, StoredDocument, StoredSketches } from '../../../vectors/loaded/index.ts';
import type { Session } from '../../pool.ts';
import { rowsByDocument } from '../document-rows.ts';

/** Rows per read, about 1 MB. */
const ROWS_PER_READ = 300;

interface SketchesRow {
  readonly document: number;
  readonly position: number;
  readonly sketches: Uint8Array;
}

/** Creates the reads of a space's sketches in the transaction of a session. */
export function sketchReads(session: Session, spaceId: string): SketchReads {
  return {
    async *documents({ model, dimensions }, after) {
      const readAfter = (document: number, position: number) =>
        session.run(SELECT_SKETCHES, [spaceId, document, position, model, dimensions]);
      const documents = rowsByDocument<SketchesRow>(readAfter, after, ROWS_PER_READ);
      for await (const { number, rows } of documents) yield { number, rows: rows.map(toStored) };
    },

    async sketchesOf({ model, dimensions }, numbers) {
      const { rows } = await session.run(SELECT_SKETCHES_OF, [spaceId, numbers, model, dimensions]);
      const found = Map.groupBy(
        rows as unknown as readonly SketchesRow[],
        ({ document }) => document,
      );
      return Array.from(
        found,
        ([number, ofDocument]): StoredDocument => ({ number, rows: ofDocument.map(toStored) }),
      );
    },

    async vectorsOf(passages, dimensions) {
      const { rows } = await session.run(SELECT_VECTORS, [
        spaceId,
        passages.map(({ number }) => number),
        passages.map(({ position }) => position - (position % PASSAGES_PER_ROW)),
        passages.map(({ position }) => position % PASSAGES_PER_ROW),
        dimensions,
      ]);
      const vectors: (Uint8Array | undefined)[] = passages.map(() => undefined);
      for (const { place, vector } of rows) vectors[Number(place) - 1] = vector as Uint8Array;
      return vectors;
    },
  };
}

function toStored({ position, sketches }: SketchesRow): StoredSketches {
  return { first: position, sketches };
}

const SELECT_SKETCHES = `
  select document_sketches.document, document_sketches.position, document_sketches.sketches
  from document_sketches
  cross join lateral (
    select from documents
    where documents.space_id = $1 and documents.number = document_sketches.document and documents.state = 'ready'
    limit 1
  ) as ready
  where document_sketches.space_id = $1
    and (document_sketches.document, document_sketches.position) > ($2::bigint, $3::int)
    and document_sketches.model = $4 and document_sketches.dimensions = $5
  order by document_sketches.document, document_sketches.position
  limit ${ROWS_PER_READ}`;

const SELECT_SKETCHES_OF = `
  select kept.document, kept.position, kept.sketches
  from unnest($2::bigint[]) as wanted (number)
  cross join lateral (
    select from documents
    where documents.space_id = $1 and documents.number = wanted.number and documents.state = 'ready'
    limit 1
  ) as ready
  cross join lateral (
    select document, position, sketches from document_sketches
    where document_sketches.space_id = $1 and document_sketches.document = wanted.number
      and document_sketches.model = $3 and document_sketches.dimensions = $4
    offset 0
  ) as kept
  order by kept.document, kept.position`;

const SELECT_VECTORS = `
  select near.place, found.vector
  from unnest($2::bigint[], $3::int[], $4::int[]) with ordinality as near (document, position, passage, place)
  cross join lateral (
    select substring(vectors from near.passage * $5::int + 1 for $5::int) as vector from document_vectors
    where document_vectors.space_id = $1 and document_vectors.document = near.document
      and document_vectors.position = near.position
    limit 1
  ) as found`;
