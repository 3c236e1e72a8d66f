/**
 * Returns a function that calls `load` on first use and returns the same result from then on. After a failed load, the next call
 * loads again. Concurrent calls share one load.
 */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
