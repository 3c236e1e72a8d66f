import { useRef } from 'preact/hooks';

/** Returns the members of `draft` that differ from `base`. */
export function changesOf<T extends object>(base: T, draft: T): Partial<T> {
  const entries = Object.entries(draft) as [keyof T & string, unknown][];
  return Object.fromEntries(
    entries.filter(([name, value]) => !isSame(base[name], value)),
  ) as Partial<T>;
}

/** Returns `current` with the keys that differ between `base` and `draft` set or removed as in `draft`. */
export function mergeChanges<V>(
  current: Readonly<Record<string, V>>,
  base: Readonly<Record<string, V>>,
  draft: Readonly<Record<string, V>>,
): Readonly<Record<string, V>> {
  const removed = Object.keys(base).filter((key) => !Object.hasOwn(draft, key));
  const kept = Object.entries(current).filter(([key]) => !removed.includes(key));
  // `fromEntries` makes `__proto__` an own property.
  return Object.fromEntries([...kept, ...Object.entries(changesOf(base, draft) as typeof draft)]);
}

/**
 * Returns a function that saves only the members of a form that the user has changed. The other members keep the values that somebody
 * else may have saved since the form was loaded.
 *
 * @param draft the members as the form shows them.
 * @param save is not called if nothing has changed.
 */
export function useChanges<T extends object>(
  draft: T,
  save: (changes: Partial<T>) => Promise<void>,
): () => Promise<void> {
  const base = useRef(draft);
  return async () => {
    const changes = changesOf(base.current, draft);
    if (Object.keys(changes).length === 0) return;
    await save(changes);
    base.current = draft;
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
