import type { DatabaseSync } from 'node:sqlite';
import type { SpaceReads, StoredTerms } from '../../../full-text/loaded-spaces/index.ts';
import { MAX_DOCUMENTS, MAX_PASSAGES, rowidsOfDocument } from '../rowids.ts';

/** Prepares the reads of term vectors. The returned function creates the reads of a space. */
export function prepareSpaceReads(db: DatabaseSync): (spaceId: string) => SpaceReads {
  const space = db.prepare('select number from knowledge_spaces where space_id = ?');
  // With `not indexed`, SQLite reads documents in the order of their numbers. Otherwise every step would sort all remaining documents.
  const rows = db.prepare(
    `select documents.number, term_vectors.terms
     from documents not indexed
     cross join term_vectors on term_vectors.id
       between documents.number * ${MAX_PASSAGES} and documents.number * ${MAX_PASSAGES} + ${MAX_PASSAGES - 1}
     where documents.number > ? and documents.number < ? and documents.space_id = ? and documents.state = 'ready'
     order by documents.number, term_vectors.id`,
  );
  rows.setReturnArrays(true);
  const isReady = db.prepare(
    `select 1 from documents where number = ? and space_id = ? and state = 'ready'`,
  );
  const ofDocument = db.prepare(
    'select terms from term_vectors where id between ? and ? order by id',
  );

  function* documents(spaceId: string, after: number): Generator<StoredTerms> {
    const number = space.get(spaceId)?.['number'];
    if (number === undefined) return;
    const start = Number(number) * MAX_DOCUMENTS;
    const found = rows.iterate(Math.max(after, start), start + MAX_DOCUMENTS, spaceId);
    yield* grouped(found as Iterable<unknown> as Iterable<readonly [number, Uint8Array]>);
  }

  return (spaceId) => ({
    documents: (after) => documents(spaceId, after),
    readyAmong: (numbers) => numbers.filter((number) => isReady.get(number, spaceId) !== undefined),
    termsOf: (number) =>
      ofDocument.all(...rowidsOfDocument(number)).map(({ terms }) => terms as Uint8Array),
  });
}

function* grouped(rows: Iterable<readonly [number, Uint8Array]>): Generator<StoredTerms> {
  let number = 0;
  let chunks: Uint8Array[] = [];
  for (const [next, terms] of rows) {
    if (next !== number) {
      if (chunks.length > 0) yield { number, chunks };
      number = next;
      chunks = [];
    }
    chunks.push(terms);
  }
  if (chunks.length > 0) yield { number, chunks };
}
