import { ApiError, ConnectionError, TimeoutError } from '../errors.ts';

const FIRST_DELAY_MS = 500;
const MAX_BACKOFF_MS = 8000;
/** Maximum `Retry-After` in seconds that the client waits for. */
const MAX_RETRY_AFTER = 60;
/** Pause of streams and buffers in milliseconds if the service asks for a longer one. */
export const MAX_PAUSE_MS = MAX_RETRY_AFTER * 1000;

/**
 * Returns the delay in milliseconds before the next attempt, or `undefined` if a retry is pointless. Without `Retry-After`, the delay
 * doubles with each attempt and is reduced at random by up to half. Otherwise, it is `Retry-After` plus up to half a second.
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  random: () => number = Math.random,
): number | undefined {
  const after = error instanceof ApiError ? error.retryAfter : undefined;
  if (!isTransient(error) || (after ?? 0) > MAX_RETRY_AFTER) return undefined;
  const backoff = Math.min(MAX_BACKOFF_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  const jittered = backoff * (0.5 + random() / 2);
  return after === undefined ? jittered : after * 1000 + random() * FIRST_DELAY_MS;
}

/** Reports whether a repetition of the same request may succeed. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiError))
    return error instanceof ConnectionError || error instanceof TimeoutError;
  const { status, retryAfter } = error;
  // Only the 409 of a running request with the same Idempotency-Key has a Retry-After.
  return (
    [408, 429, 500, 502, 503, 504].includes(status) || (status === 409 && retryAfter !== undefined)
  );
}

/** Waits. Rejects with the reason of the signal as soon as it is aborted. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
