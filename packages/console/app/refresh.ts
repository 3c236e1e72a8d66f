import { useEffect } from 'preact/hooks';
import { session } from './client.ts';

/** Loads data again at an interval in milliseconds while the page is visible and the session has not ended. */
export function useRefresh(reload: () => void, interval: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && session.peek() !== null) reload();
    }, interval);
    return () => clearInterval(timer);
  }, [reload, interval]);
}
