import { type Token, tokenise } from './tokenise.ts';

/** A parsed query. Its terms have the same form as the terms of `tokenise`. */
export interface Query {
  /** Optional terms. Each matching term improves the rank. */
  readonly terms: readonly QueryTerm[];
  readonly phrases: readonly Phrase[];
}

export interface QueryTerm {
  readonly term: string;
  /**
   * Prefix that also matches other terms, such as other forms of the word or the rest of an incomplete word. These
   * matches rank lower than exact matches. Null: exact matches only.
   */
  readonly prefix: string | null;
  /** `true`: words that are joined in the query, without the joiners, such as `email` for `e-mail`. */
  readonly isCompound?: true;
}

export interface Phrase {
  readonly terms: readonly string[];
  /** `true`: the last term matches as a prefix. */
  readonly prefix: boolean;
}

export interface QueryOptions {
  /**
   * `true`: a last word of at least three letters or digits also matches as a prefix, unless other text follows it.
   * Default `true`.
   */
  readonly unfinished?: boolean;
}

/** Maximum number of terms, including those of phrases. Further terms are ignored. */
export const MAX_QUERY_TERMS = 32;
const MIN_UNFINISHED_LENGTH = 3;
/** Text in quotation marks. Does not match the inch marks in `5" or 6"`. */
const QUOTED = /(?<![\p{L}\p{N}])["“”„«»]([^"“”„«»]+)["“”„«»](?![\p{L}\p{N}])/gu;

/**
 * Parses a query; every string is valid. Words in quotation marks form a phrase. There is no other syntax: `AND`, `NEAR(`, `*`,
 * `-` and `:` are text. Terms and phrases are deduplicated. Takes time linear in the length, which the caller must limit.
 *
 * @example
 * readQuery('"annual report" refund ').phrases; // [{ terms: ['annual', 'report'], prefix: false }]
 */
export function readQuery(text: string, { unfinished = true }: QueryOptions = {}): Query {
  const query = new QueryBuilder();
  let at = 0;
  for (const match of text.matchAll(QUOTED)) {
    query.addWords(text.slice(at, match.index), false);
    query.addPhrase(match[1] as string);
    at = match.index + match[0].length;
  }
  query.addWords(text.slice(at), unfinished);
  return { terms: [...query.terms.values()], phrases: query.phrases };
}

export function isEmpty(query: Query): boolean {
  return query.terms.length === 0 && query.phrases.length === 0;
}

class QueryBuilder {
  readonly terms = new Map<string, QueryTerm>();
  readonly phrases: Phrase[] = [];
  #left = MAX_QUERY_TERMS;

  addWords(text: string, unfinished: boolean): void {
    const tokens = tokenise(text);
    for (const [index, token] of tokens.entries()) {
      if (isRestOfPairs(token, tokens[index - 1])) continue;
      const prefix = prefixOf(token, unfinished && token.end === text.length);
      this.#add(token.term, prefix, token.kind === 'compound');
    }
  }

  #add(term: string, prefix: string | null, isCompound: boolean): void {
    const known = this.terms.get(term);
    if (known === undefined) {
      if (this.#left === 0) return;
      this.#left--;
    }
    const isWord = !isCompound || (known !== undefined && known.isCompound !== true);
    this.terms.set(term, {
      ...{ term, prefix: prefix ?? known?.prefix ?? null },
      ...(!isWord && { isCompound: true as const }),
    });
  }

  addPhrase(text: string): void {
    const words = tokenise(text).filter(({ kind }) => kind !== 'compound');
    const last = words.at(-1);
    if (last === undefined) return;
    // The last pair already contains the last letter. Without the last letter as a term, the phrase also matches text that continues.
    if (isRestOfPairs(last, words.at(-2))) words.pop();
    const terms = words.slice(0, this.#left).map(({ term }) => term);
    if (terms.length === 0) return;
    const isComplete = terms.length === words.length;
    const phrase = { terms, prefix: isComplete && words.at(-1)?.kind === 'last' };
    if (this.phrases.some((known) => isSame(known, phrase))) return;
    this.#left -= terms.length;
    this.phrases.push(phrase);
  }
}

function isSame(one: Phrase, other: Phrase): boolean {
  return one.prefix === other.prefix && one.terms.join(' ') === other.terms.join(' ');
}

function prefixOf({ term, kind }: Token, unfinished: boolean): string | null {
  if (kind === 'pair') return null;
  if (kind === 'last') return term;
  const typed = unfinished && term.length >= MIN_UNFINISHED_LENGTH ? term : null;
  return stemPrefix(term) ?? typed;
}

/** Reports whether a token is the last letter of a run and therefore already part of the last pair. */
function isRestOfPairs(token: Token, before: Token | undefined): boolean {
  return token.kind === 'last' && before?.kind === 'pair' && before.end === token.end;
}

const WORD = /^[\p{L}\p{M}]+$/u;
const MIN_LENGTH = 4;
const MIN_STEM_LENGTH = 5;
const MAX_SUFFIX_LENGTH = 3;

/**
 * Returns a prefix that probably matches other forms of a word, in any language that inflects by suffixes. A word of
 * four or five letters is returned unchanged. A longer word loses up to three letters and keeps at least five. Returns
 * null for shorter words and words with digits. `docs/benchmarks.md` ("Search relevance") measures the effect.
 */
export function stemPrefix(word: string): string | null {
  if (word.length < MIN_LENGTH || !WORD.test(word)) return null;
  const letters = [...word];
  if (letters.length <= MIN_STEM_LENGTH) return word;
  return letters.slice(0, Math.max(MIN_STEM_LENGTH, letters.length - MAX_SUFFIX_LENGTH)).join('');
}
