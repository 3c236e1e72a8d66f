import { useEffect } from 'preact/hooks';

/** Loads data again at an interval in milliseconds while the page is visible. */
export function useRefresh(reload: () => void, interval: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, interval);
    return () => clearInterval(timer);
  }, [reload, interval]);
}
