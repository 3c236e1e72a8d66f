/** Returns a filter that accepts the same documents as `{ [field]: { like: pattern } }`, and is so large that both engines compile it. */
export function largeFilter(field: string, pattern: string): object {
  return { or: Array.from({ length: 20 }, () => ({ [field]: { like: pattern } })) };
}
