import { useEffect, useState } from 'preact/hooks';

/**
 * Returns what the user types in a filter. Starts again from the address when the address changes, for example with the back button.
 *
 * @param filter the filter in the address.
 */
export function useQueryDraft<T>(filter: T): readonly [draft: T, setDraft: (draft: T) => void] {
  const [draft, setDraft] = useState(filter);
  useEffect(() => setDraft(filter), [JSON.stringify(filter)]);
  return [draft, setDraft];
}
