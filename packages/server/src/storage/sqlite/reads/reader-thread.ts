import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { type CompiledFilter, compile, type FilterNode } from '@gatehouse/filter';
import { LRUCache } from 'lru-cache';
import { type Step, StorageTooSlow, serveRequests } from '../../../lib/threads/index.ts';
import { ParsedMetadata } from '../../in-memory/index.ts';
import { openForReading } from '../connection.ts';
import { toFailure } from '../statements.ts';

/** Makes this worker thread read from the database for a `ReadThread`. Call it once per thread. */
export function serveReads<Request, Result>(
  open: (db: DatabaseSync) => (request: Request, step: Step) => Result | Promise<Result>,
): void {
  serveRequests(open(openForReading((workerData as { file: string }).file)), { toFailure });
}

/** Maximum duration of a request whose SQL calls `in_time`. */
const TIME_LIMIT_MS = 2000;

/**
 * Defines the SQL functions of conditions on documents. `in_time(…)` throws `StorageTooSlow` after two seconds. Conditions call it for
 * every row, because a thread cannot interrupt its own SQLite query. The functions of `defineFilterFunctions` have the same time limit.
 *
 * @returns a function that restarts the time limit. Call it before each request.
 */
export function limitTime(db: DatabaseSync): () => void {
  let deadline = 0;
  const checkTime = () => {
    if (performance.now() > deadline) throw new StorageTooSlow();
  };
  db.function('in_time', { varargs: true }, () => {
    checkTime();
    return 1;
  });
  defineFilterFunctions(db, checkTime);
  return () => {
    deadline = performance.now() + TIME_LIMIT_MS;
  };
}

/** Maximum number of compiled filters in the cache. A compiled filter can take more than 1 MB of memory. */
const MAX_CACHED = 8;

interface NumberedFilter {
  readonly number: number;
  readonly accepts: CompiledFilter;
}

/**
 * Defines two SQL functions that evaluate a filter on a document. `filter_number(json)` compiles a `Filter`. `filter_accepts(filter,
 * number, fileName, mimeType, language, createdAt, updatedAt, metadata)` returns 1 if the document satisfies the filter, and 0
 * otherwise. `filter` is a result of `filter_number`, which is valid until the next call of `filter_number`.
 *
 * @param checkTime called for each document and during long comparisons. Throws to abort the statement.
 */
function defineFilterFunctions(db: DatabaseSync, checkTime: () => void): void {
  const cache = new LRUCache<string, NumberedFilter>({ max: MAX_CACHED });
  const parsed = new ParsedMetadata();
  let last = 0;
  let current: NumberedFilter | null = null;

  db.function('filter_number', { directOnly: true }, (json) => {
    const text = String(json);
    current = cache.get(text) ?? null;
    if (current === null) {
      last += 1;
      current = { number: last, accepts: compile(JSON.parse(text) as FilterNode, checkTime) };
      cache.set(text, current);
    }
    return current.number;
  });

  db.function(
    'filter_accepts',
    { directOnly: true },
    (filter, number, fileName, mimeType, language, createdAt, updatedAt, metadata) => {
      checkTime();
      if (current === null || current.number !== filter)
        throw new Error('the filter is not the current filter');
      const row = { number, fileName, mimeType, language, createdAt, updatedAt, metadata };
      return current.accepts(parsed.recordOf(row)) ? 1 : 0;
    },
  );
}
