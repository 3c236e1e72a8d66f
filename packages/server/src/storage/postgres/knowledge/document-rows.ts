import type { Result } from '../pool.ts';

/** A row that belongs to a document, such as the sketches of some of its passages. */
interface Row {
  readonly document: number;
  readonly position: number;
}

interface DocumentRows<One> {
  readonly number: number;
  /** Ordered by position. */
  readonly rows: readonly One[];
}

/** Reads the next rows, ordered by document number and position. */
type ReadAfter = (document: number, position: number) => Promise<Result>;

const MAX_POSITION = 2 ** 31 - 1;

/**
 * Reads the rows of all documents whose numbers are greater than `after`. Reads the next rows while the caller processes the previous ones.
 *
 * @param most maximum number of rows that `readAfter` returns. If it returns fewer rows, they are the last ones.
 */
export async function* rowsByDocument<One extends Row>(
  readAfter: ReadAfter,
  after: number,
  most: number,
): AsyncGenerator<DocumentRows<One>> {
  let number = 0;
  let rows: One[] = [];
  for await (const page of pages<One>(readAfter, after, most))
    for (const row of page) {
      if (row.document !== number) {
        if (rows.length > 0) yield { number, rows };
        number = row.document;
        rows = [];
      }
      rows.push(row);
    }
  if (rows.length > 0) yield { number, rows };
}

async function* pages<One extends Row>(
  readAfter: ReadAfter,
  after: number,
  most: number,
): AsyncGenerator<readonly One[]> {
  let next: Promise<Result> | null = readAfter(after, MAX_POSITION);
  try {
    while (next !== null) {
      const rows = (await next).rows as unknown as readonly One[];
      const last = rows.at(-1);
      next =
        last === undefined || rows.length < most ? null : readAfter(last.document, last.position);
      // A rejection is handled when `next` is awaited.
      next?.catch(() => {});
      yield rows;
    }
  } finally {
    // The caller may stop before the end. The session must be idle afterwards.
    await next?.catch(() => {});
  }
}
