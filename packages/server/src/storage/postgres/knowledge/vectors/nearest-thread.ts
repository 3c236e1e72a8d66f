import { workerData } from 'node:worker_threads';
import { answering, StorageTooSlow } from '../../../../lib/threads/index.ts';
import { PASSAGES_PER_ROW } from '../../../vectors/chunks.ts';
import { type Near, nearestPassages } from '../../../vectors/near.ts';
import { cosineScore, scaled } from '../../../vectors/quantise.ts';
import { CANDIDATES, NearestSketches } from '../../../vectors/sketches/nearest-sketches.ts';
import { openPool, type Result, type Session } from '../../pool.ts';
import { retryRead } from '../../retry.ts';
import { BEGIN, TIME_LIMIT_MS } from '../reads.ts';

export interface NearestQuestion {
  readonly spaceId: string;
  /**
   * Statement whose rows contain the document number, the position of the first passage and the sketches. It must return only
   * rows in scope.
   */
  readonly sketches: { readonly sql: string; readonly parameters: readonly unknown[] };
  readonly vector: Float32Array;
  readonly limit: number;
}

/** Rows per fetch, one to two megabytes. They are fetched while the previous rows are compared. */
const ROWS_PER_FETCH = 500;

const { url } = workerData as { readonly url: string };
// Errors of idle connections are ignored, because the next question replaces a broken connection.
const pool = openPool({ url, connections: 1, onError: () => {} });

answering(
  ({ spaceId, sketches, vector, limit }: NearestQuestion): Promise<Near[]> => {
    const query = scaled(vector);
    const find = async (session: Session) => {
      await session.run(`${BEGIN}; set local cursor_tuple_fraction = 1`);
      await session.run(
        `declare sketches no scroll cursor for ${sketches.sql}`,
        sketches.parameters,
      );
      const candidates = await nearestBySketch(session, query, limit * CANDIDATES);
      const near = await compareVectors(session, spaceId, candidates, query, limit);
      await session.run('commit');
      return near;
    };
    return retryRead(() => pool.hold(find));
  },
  { waits: true },
);

async function nearestBySketch(
  session: Session,
  query: Float32Array,
  count: number,
): Promise<Near[]> {
  const deadline = performance.now() + TIME_LIMIT_MS;
  const nearest = new NearestSketches(query, count);
  const fetchRows = () => session.run(`fetch ${ROWS_PER_FETCH} from sketches`);
  let next: Promise<Result> = fetchRows();
  for (;;) {
    const { rows } = await next;
    if (performance.now() > deadline) throw new StorageTooSlow();
    const isLast = rows.length < ROWS_PER_FETCH;
    if (!isLast) {
      next = fetchRows();
      // A rejection is handled when `next` is awaited.
      next.catch(() => {});
    }
    for (const { number, position, sketches } of rows) {
      const bytes = sketches as Uint8Array;
      const row = { number: Number(number), first: Number(position) };
      nearest.add({ ...row, bytes, from: 0, end: bytes.length });
    }
    if (isLast) return nearest.sorted();
  }
}

async function compareVectors(
  session: Session,
  spaceId: string,
  candidates: readonly Near[],
  query: Float32Array,
  limit: number,
): Promise<Near[]> {
  const { rows } = await session.run(
    `select near.place, substring(document_vectors.vectors from near.passage * $5::int + 1 for $5::int) as vector
    from unnest($2::bigint[], $3::int[], $4::int[]) with ordinality
      as near (document, position, passage, place)
    join document_vectors on document_vectors.space_id = $1
      and document_vectors.document = near.document
      and document_vectors.position = near.position`,
    [
      spaceId,
      candidates.map(({ number }) => number),
      candidates.map(({ position }) => position - (position % PASSAGES_PER_ROW)),
      candidates.map(({ position }) => position % PASSAGES_PER_ROW),
      query.length,
    ],
  );
  const nearest = nearestPassages(limit);
  for (const { place, vector } of rows) {
    const candidate = candidates[Number(place) - 1];
    if (candidate === undefined) continue;
    const bytes = vector as Uint8Array;
    const signed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    nearest.add({ ...candidate, score: cosineScore(query, signed, 0) });
  }
  return nearest.sorted();
}
