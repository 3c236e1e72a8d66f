import { useLocation } from 'preact-iso';

/**
 * Returns a function that opens a page when an action has ended. It has no effect if the user has gone to another page meanwhile, because
 * the user may have typed something there.
 */
export function useNextPage(): (path: string) => void {
  const { route } = useLocation();
  const start = location.pathname;
  return (path) => {
    if (location.pathname === start) route(path);
  };
}
