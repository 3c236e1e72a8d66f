import { workerData } from 'node:worker_threads';
import { type Step, serveRequests } from '../../../../lib/threads/index.ts';
import type { PassageRow, ScopeReads } from '../../../full-text/loaded-spaces/index.ts';
import { type DocumentChange, LoadedSpaces } from '../../../in-memory/index.ts';
import type { RankedPassage } from '../../../ports/knowledge-engine.ts';
import { openPool, type Session } from '../../pool.ts';
import { retryRead } from '../../retry.ts';
import { ChangeLog } from '../ranking/change-log.ts';
import { BEGIN } from '../reads.ts';
import { CompiledFilters } from './compiled-filters.ts';
import type { ScopeSelects } from './scope-selects.ts';

export interface SearchRequest {
  readonly scope: ScopeSelects;
}

/**
 * `null`: the space is still being loaded, or the scope is still being evaluated. `'scope'`: the scope is not cached, and the
 * caller must repeat the request with `ScopeSelects.candidates`.
 */
export type SearchResult = readonly RankedPassage[] | 'scope' | null;

interface SearchedSpace<Reads> {
  readonly byteLength: number;
  change(change: DocumentChange): void;
  update(reads: Reads, step: Step): Promise<boolean>;
  hasScope(key: string): boolean;
}

interface Search<Request extends SearchRequest, Reads, Space extends SearchedSpace<Reads>> {
  readonly spaceOf: (spaces: LoadedSpaces<Space>, request: Request) => Space;
  /** Creates the reads of a space in the transaction of a session. */
  readonly readsOf: (session: Session, spaceId: string) => Reads;
  /** Searches a space that is up to date. Returns `null` if the step was over before the scope was evaluated. */
  readonly search: (
    space: Space,
    reads: Reads,
    scope: ScopeReads,
    request: Request,
    step: Step,
  ) => Promise<readonly RankedPassage[] | null>;
}

/** Makes this worker thread search spaces in memory, over its own connection. Call it once per thread. */
export function serveSearches<
  Request extends SearchRequest,
  Reads,
  Space extends SearchedSpace<Reads>,
>({ spaceOf, readsOf, search }: Search<Request, Reads, Space>): void {
  const { url } = workerData as { readonly url: string };
  // Errors of idle connections are ignored, because the next request replaces a broken connection.
  const pool = openPool({ url, connections: 1, onError: () => {} });
  const log = new ChangeLog();
  const spaces = new LoadedSpaces<Space>();
  const compiled = new CompiledFilters();

  serveRequests(
    async (request: Request, step): Promise<SearchResult> => {
      try {
        return await retryRead(() => pool.hold((session) => searchOnce(session, request, step)));
      } finally {
        spaces.evict(request.scope.spaceId);
      }
    },
    { waits: true },
  );

  async function searchOnce(session: Session, request: Request, step: Step): Promise<SearchResult> {
    compiled.startTimer();
    const { scope } = request;
    // The changes, the scope and the passages are read from the same snapshot.
    await session.run(
      `${BEGIN}; set local enable_seqscan = off; set local enable_bitmapscan = off`,
    );
    spaces.record(await log.next(session));
    const space = spaceOf(spaces, request);
    const reads = readsOf(session, scope.spaceId);
    let found: SearchResult = null;
    step.isShared = true;
    if (await space.update(reads, step)) {
      step.isShared = false;
      const inScope = scopeReads(session, scope, compiled);
      if (scope.candidates === null && !space.hasScope(inScope.key)) found = 'scope';
      else found = await search(space, reads, inScope, request, step);
    }
    await session.run('commit');
    return found;
  }
}

/** Creates the reads of a scope in the transaction of a session. */
function scopeReads(
  session: Session,
  { spaceId, filter, candidates, among, passages }: ScopeSelects,
  compiled: CompiledFilters,
): ScopeReads {
  async function documentsAmong(numbers: readonly number[]): Promise<readonly number[]> {
    if (among === null)
      return compiled.acceptedAmong(session, { spaceId, filter, numbers, onlyReady: true });
    const { rows } = await session.run(among.sql, [numbers, ...among.parameters.slice(1)]);
    return rows.map(({ number }) => Number(number));
  }

  return {
    key: filter,

    isExact: among !== null,

    async candidates() {
      if (candidates === null) throw new Error('the statement for a new scope is missing');
      const { rows } = await session.run(candidates.sql, candidates.parameters);
      return numbersOf(rows[0]?.['numbers'] as Buffer | null | undefined);
    },

    documentsAmong,

    async passages(keys) {
      const accepted =
        among === null
          ? new Set(await documentsAmong([...new Set(keys.map(({ number }) => number))]))
          : null;
      const { rows } = await session.run(passages.sql, [
        keys.map(({ number }) => number),
        keys.map(({ position }) => position),
        ...passages.parameters.slice(2),
      ]);
      const found = rows as unknown as readonly PassageRow[];
      if (accepted === null) return found;
      return found.filter(({ rank }) => accepted.has(keys[rank]?.number ?? 0));
    },
  };
}

const BYTES_PER_NUMBER = 8;

/** Reads concatenated results of `int8send`. Document numbers have 47 bits. */
function* numbersOf(bytes: Buffer | null | undefined): Generator<number> {
  if (bytes === null || bytes === undefined) return;
  for (let at = 0; at < bytes.length; at += BYTES_PER_NUMBER)
    yield bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
