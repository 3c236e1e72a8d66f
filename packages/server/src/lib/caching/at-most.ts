/**
 * Returns the options of an `LRUCache` with a maximum number of entries. An `LRUCache` with the option `max` allocates the memory of all
 * entries when it is created, which is 0.5 MB for 10,000 entries. With these options it allocates memory for the entries that it has.
 */
export function atMost(entries: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
