import {
  SerialisationFailure,
  StorageTooSlow,
  StorageUnavailable,
} from '../../../lib/threads/index.ts';
import { isConnectionFailure } from '../failure.ts';

/** A failure that took longer to come is not worth a second one. */
const SOON_MS = 5_000;

/**
 * Writes, and once more where a connection broke or two transactions came in each other's way. What is written
 * must be kept once however often it is: nobody knows whether a connection broke before the commit or after it.
 * All other failures of the store are `StorageUnavailable`.
 */
export async function onceMore<Result>(write: () => Promise<Result>): Promise<Result> {
  const begun = performance.now();
  try {
    return await write();
  } catch (error) {
    if (!mayPass(error) || performance.now() - begun > SOON_MS) throw toUnavailable(error);
  }
  try {
    return await write();
  } catch (error) {
    throw toUnavailable(error);
  }
}

function mayPass(error: unknown): boolean {
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
