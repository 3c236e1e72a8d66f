import type { Phrase, Query, QueryTerm } from './query.ts';

/**
 * The tokenizer of an FTS5 table whose columns hold `indexedText`: it splits at the spaces and nowhere
 * else. It takes every byte beyond ASCII as part of a word, so no version of Unicode is in it.
 */
export const FTS5_TOKENIZE = `ascii tokenchars '+#'`;

/** The weights of the columns for `bm25`, as `bench/relevance.ts` found them; it hardly matters whether a heading counts twice or five times. */
export const FTS5_WEIGHTS = { title: 2, heading: 3, body: 1 } as const;

export interface Fts5Options {
  /** Common terms that are not searched for, as `withoutCommon` says. */
  readonly leaveOut?: ReadonlySet<string>;
}

/** Finds nothing, and is no error. */
const NOTHING = '""';

/**
 * The right side of FTS5's MATCH: passages with every phrase, and with any of the terms where there is
 * no phrase. Nothing of the engine's syntax can come through from the person's text: every term is in
 * quotes and no term holds one. An empty query finds nothing.
 */
export function toFts5(query: Query, { leaveOut }: Fts5Options = {}): string {
  const { terms, phrases } = leaveOut === undefined ? query : withoutCommon(query, leaveOut);
  const any = [...new Set(terms.flatMap(writeTerm))];
  const required = phrases.map(writePhrase);
  const [first] = required;
  if (first === undefined) return any.length === 0 ? NOTHING : any.join(' OR ');
  if (any.length === 0) return required.join(' AND ');
  // Terms beside a phrase are not required, but count. The phrase stands among them to make that so.
  return [...required, `(${[first, ...any].join(' OR ')})`].join(' AND ');
}

/** The term itself counts twice where it is its own prefix, once as a rare and once as a common word. */
function writeTerm({ term, prefix }: QueryTerm): string[] {
  return prefix === null ? [`"${term}"`] : [`"${term}"`, `"${prefix}"*`];
}

function writePhrase({ terms, prefix }: Phrase): string {
  return `"${terms.join(' ')}"${prefix ? '*' : ''}`;
}

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
