import {
  SerialisationFailure,
  StorageTooSlow,
  StorageUnavailable,
} from '../../lib/threads/index.ts';
import { isConnectionFailure, Unreachable } from './failure.ts';

/** A server that ends connections ends all; the idle ones are then found broken one by one, each at once. */
const RETRY_READS_FOR_MS = 250;
/** A write that failed later than this is not retried. */
const RETRY_WRITES_WITHIN_MS = 5_000;

/** Runs a read and retries it, at least once, if its connection is broken. */
export async function retryRead<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  let until: number | undefined;
  for (;;)
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || !isConnectionFailure(error.cause)) throw error;
      const now = performance.now();
      // An unreachable server is not asked repeatedly.
      if (until !== undefined && (now > until || error instanceof Unreachable)) throw error;
      until ??= now + RETRY_READS_FOR_MS;
    }
}

/**
 * Runs a write and retries it once after a broken connection or a serialisation failure. The write must be
 * idempotent: a connection may break before or after the commit. Other failures of the store become
 * `StorageUnavailable`.
 */
export async function retryOnce<Result>(write: () => Promise<Result>): Promise<Result> {
  const begun = performance.now();
  try {
    return await write();
  } catch (error) {
    if (!isTransient(error) || performance.now() - begun > RETRY_WRITES_WITHIN_MS)
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
