import { workerData } from 'node:worker_threads';
import { BatchSize } from '../../../../lib/scheduling/index.ts';
import { type Step, serveRequests } from '../../../../lib/threads/index.ts';
import { openPool, type Row, type Session } from '../../pool.ts';
import { retryRead } from '../../retry.ts';
import { BEGIN } from '../reads.ts';
import { CompiledFilters } from '../scope/compiled-filters.ts';
import type { Select } from '../scope/scope-selects.ts';

export interface TestedReadRequest {
  readonly spaceId: string;
  /** JSON of the filter. */
  readonly filter: string;
  /** Selects IDs and numbers of candidates, in the order of the read. The last parameter is the ID after which the candidates start. */
  readonly candidates: Select;
  /** Selects the rows of documents whose numbers are in an array, which is the first parameter. */
  readonly rows: Select;
  /** Maximum number of candidates that `candidates` selects, or `null`. */
  readonly mostCandidates: number | null;
  readonly after: string;
  /** Maximum number of documents, or `null`. */
  readonly count: number | null;
}

export interface TestedReadResult {
  readonly rows: readonly Row[];
  /** ID after which the read continues, or `null` if it is finished. */
  readonly after: string | null;
}

interface Candidate {
  readonly id: string;
  readonly number: number;
}

const { url } = workerData as { readonly url: string };
// Errors of idle connections are ignored, because the next request replaces a broken connection.
const pool = openPool({ url, connections: 1, onError: () => {} });
const compiled = new CompiledFilters();

serveRequests(
  (request: TestedReadRequest, step): Promise<TestedReadResult> =>
    retryRead(() => pool.hold((session) => readTested(session, request, step))),
  { waits: true },
);

async function readTested(
  session: Session,
  request: TestedReadRequest,
  step: Step,
): Promise<TestedReadResult> {
  compiled.startTimer();
  // The candidates are selected, tested and read in the same snapshot.
  await session.run(`${BEGIN}; set local enable_seqscan = off`);
  const { accepted, after } = await testCandidates(session, request, step);
  const { sql, parameters } = request.rows;
  const { rows } =
    accepted.length === 0
      ? { rows: [] }
      : await session.run(sql, [accepted, ...parameters.slice(1)]);
  await session.run('commit');
  return { rows, after };
}

interface Tested {
  /** Numbers of the accepted documents. */
  readonly accepted: readonly number[];
  readonly after: string | null;
}

async function testCandidates(
  session: Session,
  { spaceId, filter, candidates, mostCandidates, after, count }: TestedReadRequest,
  step: Step,
): Promise<Tested> {
  const { rows } = await session.run(candidates.sql, [
    ...candidates.parameters.slice(0, -1),
    after,
  ]);
  const all = rows as unknown as readonly Candidate[];
  const most = count ?? Number.POSITIVE_INFINITY;
  const batch = new BatchSize();
  const accepted: number[] = [];
  let tested = 0;
  while (tested < all.length && accepted.length < most && (tested === 0 || !step.isOver)) {
    const startedAt = performance.now();
    const some = all.slice(tested, tested + batch.size).map(({ number }) => number);
    const result = await compiled.acceptedAmong(session, { spaceId, filter, numbers: some });
    const found = new Set(result);
    accepted.push(...some.filter((number) => found.has(number)));
    tested += some.length;
    batch.finished(performance.now() - startedAt);
  }
  const hasMore = tested < all.length || all.length === mostCandidates;
  return {
    accepted: accepted.slice(0, most),
    after: hasMore && accepted.length < most ? (all[tested - 1]?.id ?? null) : null,
  };
}
