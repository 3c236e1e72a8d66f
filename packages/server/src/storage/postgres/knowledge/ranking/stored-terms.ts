import type { SpaceReads, StoredTerms } from '../../../full-text/loaded-spaces/index.ts';
import type { Result, Session } from '../../pool.ts';

/** Rows per read, about 200 KB. They are read while the previous rows are added to the index. */
const ROWS_PER_READ = 50;

/** Creates the reads of a space's index in the transaction of a session. */
export function spaceReads(session: Session, spaceId: string): SpaceReads {
  return {
    documents: (after) => grouped(readTerms(session, spaceId, after)),

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

const MAX_POSITION = 2 ** 31 - 1;

async function* readTerms(
  session: Session,
  spaceId: string,
  after: number,
): AsyncGenerator<readonly TermRow[]> {
  const readAfter = (document: number, position: number) =>
    session.run(SELECT_TERMS, [spaceId, document, position]);
  let next: Promise<Result> | null = readAfter(after, MAX_POSITION);
  try {
    while (next !== null) {
      const rows = (await next).rows as unknown as readonly TermRow[];
      const last = rows.at(-1);
      next =
        last === undefined || rows.length < ROWS_PER_READ
          ? null
          : readAfter(last.document, last.position);
      // A rejection is handled when `next` is awaited.
      next?.catch(() => {});
      yield rows;
    }
  } finally {
    // The caller may stop before the end. The session must be idle afterwards.
    await next?.catch(() => {});
  }
}

async function* grouped(pages: AsyncIterable<readonly TermRow[]>): AsyncGenerator<StoredTerms> {
  let number = 0;
  let chunks: Uint8Array[] = [];
  for await (const rows of pages)
    for (const { document, terms } of rows) {
      if (document !== number) {
        if (chunks.length > 0) yield { number, chunks };
        number = document;
        chunks = [];
      }
      chunks.push(terms);
    }
  if (chunks.length > 0) yield { number, chunks };
}
