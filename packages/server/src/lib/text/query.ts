import { type Token, tokenise } from './tokenise.ts';

/** What a person looks for. Terms are as `tokenise` makes them. */
export interface Query {
  /** Any of them may be found; the more, the better. */
  readonly terms: readonly QueryTerm[];
  /** All of them must be found. */
  readonly phrases: readonly Phrase[];
}

export interface QueryTerm {
  readonly term: string;
  /**
   * Terms that begin like this are found too, though they count less: other forms of the word, or what
   * the person is typing. Null: the term alone.
   */
  readonly prefix: string | null;
}

/** Words that follow each other. */
export interface Phrase {
  readonly terms: readonly string[];
  /** The last one need only be the beginning of a word. */
  readonly prefix: boolean;
}

export interface QueryOptions {
  /**
   * Whether the last word may be unfinished, since the person is still typing: it then finds words that
   * begin like it, from three letters or digits on, unless something stands behind it. Default true.
   */
  readonly unfinished?: boolean;
}

/** Of terms, those of phrases included; what is beyond is not looked for. */
export const MOST_QUERY_TERMS = 32;
const SHORTEST_UNFINISHED = 3;
/** Quotation marks with words between them, such that `5" or 6"` are inches. */
const QUOTED = /(?<![\p{L}\p{N}])["“”„«»]([^"“”„«»]+)["“”„«»](?![\p{L}\p{N}])/gu;

/**
 * Reads what a person typed; every string is a query. Words between quotation marks are a phrase;
 * everything else that may mean something elsewhere (`AND`, `NEAR(`, `*`, `-`, `:`) is text.
 * At most 32 terms, each once, and each phrase once. Time grows with the length, which the caller limits.
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

/** Whether there is nothing to look for: the text was empty, or without a letter, digit or pictograph. */
export function isEmpty(query: Query): boolean {
  return query.terms.length === 0 && query.phrases.length === 0;
}

class QueryBuilder {
  readonly terms = new Map<string, QueryTerm>();
  readonly phrases: Phrase[] = [];
  #left = MOST_QUERY_TERMS;

  addWords(text: string, unfinished: boolean): void {
    const tokens = tokenise(text);
    for (const [index, token] of tokens.entries()) {
      if (isRestOfPairs(token, tokens[index - 1])) continue;
      this.#add(token.term, prefixOf(token, unfinished && token.end === text.length));
    }
  }

  #add(term: string, prefix: string | null): void {
    const known = this.terms.get(term);
    if (known === undefined) {
      if (this.#left === 0) return;
      this.#left--;
    }
    this.terms.set(term, { term, prefix: prefix ?? known?.prefix ?? null });
  }

  addPhrase(text: string): void {
    const words = tokenise(text).filter(({ kind }) => kind !== 'compound');
    const last = words.at(-1);
    if (last === undefined) return;
    // A pair in the text goes on where the phrase ends.
    if (isRestOfPairs(last, words.at(-2))) words.pop();
    const terms = words.slice(0, this.#left).map(({ term }) => term);
    if (terms.length === 0) return;
    const whole = terms.length === words.length;
    const phrase = { terms, prefix: whole && words.at(-1)?.kind === 'last' };
    if (this.phrases.some((known) => isSame(known, phrase))) return;
    this.#left -= terms.length;
    this.phrases.push(phrase);
  }
}

/** No term holds a space. */
function isSame(one: Phrase, other: Phrase): boolean {
  return one.prefix === other.prefix && one.terms.join(' ') === other.terms.join(' ');
}

function prefixOf({ term, kind }: Token, unfinished: boolean): string | null {
  if (kind === 'pair') return null;
  if (kind === 'last') return term;
  const typed = unfinished && term.length >= SHORTEST_UNFINISHED ? term : null;
  return commonBeginning(term) ?? typed;
}

/** The last letter of a run is in the last pair already, unless it is the whole run. */
function isRestOfPairs(token: Token, before: Token | undefined): boolean {
  return token.kind === 'last' && before?.kind === 'pair' && before.end === token.end;
}

const WORD = /^[\p{L}\p{M}]+$/u;
const SHORTEST = 4;
const SHORTEST_STEM = 5;
const LONGEST_ENDING = 3;

/**
 * How the other forms of a word probably begin, in any language that inflects at the end: a word of
 * four or five letters with more behind it, of a longer one what is left without up to three letters.
 * Null for words that are shorter or have digits. It helps more than it harms; `docs/benchmarks.md`
 * ("Search relevance") has by how much.
 */
export function commonBeginning(word: string): string | null {
  if (word.length < SHORTEST || !WORD.test(word)) return null;
  const letters = [...word];
  if (letters.length <= SHORTEST_STEM) return word;
  return letters.slice(0, Math.max(SHORTEST_STEM, letters.length - LONGEST_ENDING)).join('');
}
