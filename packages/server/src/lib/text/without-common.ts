import type { Query } from './query.ts';

/**
 * Returns a query without common terms and without prefixes that would match common terms. These terms and prefixes
 * slow down the search and hardly affect the rank. Phrases are kept. A query that consists only of common terms is
 * returned unchanged.
 */
export function withoutCommon(query: Query, common: ReadonlySet<string>): Query {
  let kept = 0;
  const terms = query.terms.flatMap(({ term, prefix }) => {
    if (common.has(term)) return [];
    const findsCommon = prefix !== null && some(common, (one) => one.startsWith(prefix));
    if (!findsCommon) kept++;
    return [{ term, prefix: findsCommon ? null : prefix }];
  });
  return kept === 0 && query.phrases.length === 0 ? query : { ...query, terms };
}

function some(terms: ReadonlySet<string>, predicate: (term: string) => boolean): boolean {
  for (const term of terms) if (predicate(term)) return true;
  return false;
}
