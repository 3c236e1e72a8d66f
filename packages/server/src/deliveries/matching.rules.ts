const ANY_END = '*';

/** Which events a subscription asks for. Null: all. */
export interface Wanted {
  readonly types: string[] | null;
  readonly sources: string[] | null;
}

/**
 * Whether an event of a type and a source is asked for. A pattern that ends with `*` means everything that
 * begins with what stands before it; any other is compared to the letter.
 */
export function createMatcher({
  types,
  sources,
}: Wanted): (type: string, source: string) => boolean {
  const [isType, isSource] = [matchAny(types), matchAny(sources)];
  return (type, source) => isType(type) && isSource(source);
}

/** The one text that is asked for, where it is no more than one: the store can then look for it itself. */
export function theOnly(patterns: readonly string[] | null): string | undefined {
  const [only, ...others] = patterns ?? [];
  return others.length > 0 || only?.endsWith(ANY_END) ? undefined : only;
}

function matchAny(patterns: readonly string[] | null): (text: string) => boolean {
  if (patterns === null) return () => true;
  const whole = new Set(patterns.filter((pattern) => !pattern.endsWith(ANY_END)));
  const beginnings = patterns
    .filter((pattern) => pattern.endsWith(ANY_END))
    .map((pattern) => pattern.slice(0, -ANY_END.length));
  return (text) => whole.has(text) || beginnings.some((beginning) => text.startsWith(beginning));
}
