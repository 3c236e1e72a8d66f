import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { reloads } from '../connection.ts';
import { withQuery } from '../paths.ts';

/**
 * Returns what the user types in a filter. Starts again from the address when the address changes, for example with the back button.
 *
 * @param filter the filter in the address.
 */
export function useQueryDraft<T>(filter: T): readonly [draft: T, setDraft: (draft: T) => void] {
  const address = JSON.stringify(filter);
  const [state, setState] = useState({ address, draft: filter });
  // Not in an effect, which would run after the first paint and could discard what the user has typed in the meantime.
  if (state.address !== address) setState({ address, draft: filter });
  return [
    state.address === address ? state.draft : filter,
    (draft) => setState({ address, draft }),
  ];
}

/**
 * Returns a function that shows a page with a filter in its query. The same filter as in the address loads the data of the page again,
 * without another entry in the history.
 */
export function useFilter(path: string): (filter: Parameters<typeof withQuery>[1]) => void {
  const { url, route } = useLocation();
  return (filter) => {
    const target = withQuery(path, filter);
    if (target === url) reloads.value++;
    else route(target);
  };
}
