import {
  SerialisationFailure,
  StorageTooSlow,
  StorageUnavailable,
} from '../../lib/threads/index.ts';
import { retryConflicts } from '../ports/transactions.ts';
import { isConnectionFailure, Unreachable } from './failure.ts';

/**
 * Milliseconds for which a read is retried. After a restart of the server, all idle connections are broken, and each attempt
 * fails on one of them.
 */
const RETRY_READS_FOR_MS = 250;
/** A write that fails after more than this many milliseconds is not retried. */
const RETRY_WRITES_WITHIN_MS = 5_000;

/**
 * Runs a read. Retries it after a serialisation failure, which a pooler that does not support prepared statements also causes, and at
 * least once if the connection is broken.
 */
export async function retryRead<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  let until: number | undefined;
  for (;;)
    try {
      return await retryConflicts(read);
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || !isConnectionFailure(error.cause)) throw error;
      const now = performance.now();
      // An unreachable server is not retried repeatedly.
      if (until !== undefined && (now > until || error instanceof Unreachable)) throw error;
      until ??= now + RETRY_READS_FOR_MS;
    }
}

/**
 * Runs a write and retries it once after a broken connection or a serialisation failure. The write must be idempotent, because a
 * connection may break before or after the commit. Other failures of the store become `StorageUnavailable`.
 */
export async function retryOnce<Result>(write: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await write();
  } catch (error) {
    if (!isTransient(error) || performance.now() - startedAt > RETRY_WRITES_WITHIN_MS)
      throw toUnavailable(error);
  }
  try {
    return await write();
  } catch (error) {
    throw toUnavailable(error);
  }
}

function isTransient(error: unknown): boolean {
  return (
    error instanceof SerialisationFailure ||
    (error instanceof StorageUnavailable && isConnectionFailure(error.cause))
  );
}

function toUnavailable(error: unknown): unknown {
  return error instanceof SerialisationFailure || error instanceof StorageTooSlow
    ? new StorageUnavailable('overloaded', { cause: error })
    : error;
}
