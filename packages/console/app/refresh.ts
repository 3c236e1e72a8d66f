import { useEffect } from 'preact/hooks';
import { formatExactTime } from '../components/times/exact-time.tsx';
import { t } from '../translations/translate.ts';
import { Failure, session } from './client.ts';

/** Interval in milliseconds at which the outcome of a repeated operation is loaded. */
const OUTCOME_MS = 500;
/** Maximum number of times. A longer operation is visible in the state that the page shows. */
const OUTCOME_LOADS = 30;

/** Loads data again at an interval in milliseconds while the page is visible and the session has not ended. */
export function useRefresh(reload: () => void, interval: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && session.peek() !== null) reload();
    }, interval);
    return () => clearInterval(timer);
  }, [reload, interval]);
}

/**
 * Waits for the outcome of a repeated operation for 15 seconds.
 *
 * @returns `undefined` if the operation takes longer, or if its object cannot be loaded.
 */
export async function outcomeOf<T>(
  load: () => Promise<T>,
  hasEnded: (loaded: T) => boolean,
): Promise<T | undefined> {
  for (let count = 0; count < OUTCOME_LOADS; count++) {
    await new Promise((resolve) => setTimeout(resolve, OUTCOME_MS));
    // The page loads the object too, and shows why it cannot.
    const loaded = await load().catch(() => undefined);
    if (loaded === undefined || hasEnded(loaded)) return loaded;
  }
  return undefined;
}

/** The error of a repeated operation that has failed again. The time shows that it is not the earlier failure. */
export function failedAgain(name: string, at: Date, reason: string | null): Failure {
  const time = formatExactTime(at);
  return new Failure(
    t('{name} failed again ({time}): {reason}', { name, time, reason: reason ?? '' }),
  );
}
