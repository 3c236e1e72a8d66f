import type { Query } from './query.ts';

/**
 * A query without terms that stand in so many passages that they cost time and say little, and without
 * beginnings that would find them. Phrases keep theirs, and a query that would be left with nothing
 * stays as it is. For what is searched and for what is marked alike.
 */
export function withoutCommon(query: Query, common: ReadonlySet<string>): Query {
  let whole = 0;
  const terms = query.terms.flatMap(({ term, prefix }) => {
    if (common.has(term)) return [];
    const findsCommon = prefix !== null && some(common, (one) => one.startsWith(prefix));
    if (!findsCommon) whole++;
    return [{ term, prefix: findsCommon ? null : prefix }];
  });
  return whole === 0 && query.phrases.length === 0 ? query : { ...query, terms };
}

function some(terms: ReadonlySet<string>, holds: (term: string) => boolean): boolean {
  for (const term of terms) if (holds(term)) return true;
  return false;
}
