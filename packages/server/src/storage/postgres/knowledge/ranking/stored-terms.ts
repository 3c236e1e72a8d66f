import type { SpaceReads } from '../../../full-text/loaded-spaces/index.ts';
import type { Session } from '../../pool.ts';
import { rowsByDocument } from '../document-rows.ts';

/** Rows per read, about 200 KB. */
const ROWS_PER_READ = 50;

/** Creates the reads of a space's index in the transaction of a session. */
export function spaceReads(session: Session, spaceId: string): SpaceReads {
  return {
    async *documents(after) {
      const readAfter = (document: number, position: number) =>
        session.run(SELECT_TERMS, [spaceId, document, position]);
      for await (const { number, rows } of rowsByDocument<TermRow>(readAfter, after, ROWS_PER_READ))
        yield { number, chunks: rows.map(({ terms }) => terms) };
    },

    async readyAmong(numbers) {
      const { rows } = await session.run(SELECT_READY, [spaceId, numbers]);
      return rows.map(({ number }) => Number(number));
    },

    async termsOf(number) {
      const { rows } = await session.run(
        'select terms from term_vectors where space_id = $1 and document = $2 order by position',
        [spaceId, number],
      );
      return rows.map(({ terms }) => terms as Uint8Array);
    },
  };
}

const SELECT_READY = `
  select wanted.number from unnest($2::bigint[]) as wanted (number)
  cross join lateral (
    select from documents
    where documents.space_id = $1 and documents.number = wanted.number and documents.state = 'ready'
    limit 1
  ) as ready`;

const SELECT_TERMS = `
  select term_vectors.document, term_vectors.position, term_vectors.terms
  from term_vectors
  cross join lateral (
    select from documents
    where documents.space_id = $1 and documents.number = term_vectors.document and documents.state = 'ready'
    limit 1
  ) as ready
  where term_vectors.space_id = $1 and (term_vectors.document, term_vectors.position) > ($2::bigint, $3::int)
  order by term_vectors.document, term_vectors.position
  limit ${ROWS_PER_READ}`;

interface TermRow {
  readonly document: number;
  readonly position: number;
  readonly terms: Uint8Array;
}
