import { setFlagsFromString } from 'node:v8';

/** Options of V8 with their values while many answers run, and otherwise. */
export const HEAP_OPTIONS = [
  /** By how many percent the heap may grow after a full garbage collection until the next one. With 0, V8 chooses. */
  { name: '--heap-growing-percent', limited: 10, usual: 0 },
  /** Factor by which the young generation grows. With 1, it keeps its size. */
  { name: '--semi-space-growth-factor', limited: 1, usual: 2 },
] as const;

/**
 * Makes V8 collect garbage in the whole heap more often, or as often as usual. With the limit, 1,000 streamed answers take about half of the memory.
 * Without such load, the limit would only make indexing and link creation slower by about 15%, because V8 has one setting for all threads.
 */
export function limitHeapGrowth(isLimited: boolean): void {
  for (const { name, limited, usual } of HEAP_OPTIONS)
    setFlagsFromString(`${name}=${isLimited ? limited : usual}`);
}
