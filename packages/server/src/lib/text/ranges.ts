import type { Phrase, Query } from './query.ts';
import { TermMatcher } from './term-matcher.ts';
import { type Token, tokenise } from './tokenise.ts';

/** Start and end (exclusive) as UTF-16 offsets. */
export type Range = readonly [start: number, end: number];

export interface Hit {
  readonly start: number;
  readonly end: number;
  /** Index of the matching term or phrase; phrases follow terms. */
  readonly part: number;
}

/** Returns the matches of a query in a text as ranges that are ordered, not empty, neither overlapping nor adjacent. */
export function ranges(text: string, query: Query): Range[] {
  return merge(findHits(text, query));
}

/** Returns all hits, ordered by start. Hits can overlap. */
export function findHits(text: string, query: Query): Hit[] {
  const tokens = tokenise(text);
  const hits = [...termHits(tokens, query), ...phraseHits(tokens, query)];
  return hits.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Reports whether each phrase occurs in at least one of the texts. */
export function containsPhrases(texts: readonly string[], phrases: readonly Phrase[]): boolean {
  const words = texts.map((text) => tokenise(text).filter(({ kind }) => kind !== 'compound'));
  return phrases.every((phrase) =>
    words.some((own) => own.some((_, at) => phraseEnd(own, at, phrase) !== null)),
  );
}

/** Merges overlapping and adjacent hits. They must be ordered by start. */
export function merge(hits: readonly Hit[]): Range[] {
  const merged: [number, number][] = [];
  for (const { start, end } of hits) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function termHits(tokens: readonly Token[], { terms }: Query): Hit[] {
  const matcher = new TermMatcher(terms);
  const hits: Hit[] = [];
  for (const [index, { term, start, end }] of tokens.entries()) {
    const exact = matcher.exact(term);
    if (exact !== undefined) hits.push({ start, end, part: exact });
    else {
      const part = matcher.byPrefix(term);
      if (part !== undefined) hits.push({ start, end: prefixEnd(tokens, index), part });
    }
  }
  return hits;
}

function* phraseHits(tokens: readonly Token[], { terms, phrases }: Query): Generator<Hit> {
  const words = tokens.filter(({ kind }) => kind !== 'compound');
  for (const [index, phrase] of phrases.entries()) {
    for (const [at, { start }] of words.entries()) {
      const end = phraseEnd(words, at, phrase);
      if (end !== null) yield { start, end, part: terms.length + index };
    }
  }
}

/** Returns the end of the phrase that starts with the word at this index, or null if the phrase does not match there. */
function phraseEnd(words: readonly Token[], at: number, { terms, prefix }: Phrase): number | null {
  const final = terms.length - 1;
  for (let index = 0; index <= final; index++) {
    const term = words[at + index]?.term;
    const sought = terms[index] as string;
    if (term === sought) continue;
    if (!(prefix && index === final && term?.startsWith(sought))) return null;
    return prefixEnd(words, at + index);
  }
  return (words[at + final] as Token).end;
}

/** Returns the end of a prefix match. In a pair, only the first letter matches. This letter ends where the next token starts. */
function prefixEnd(tokens: readonly Token[], index: number): number {
  const { kind, start, end } = tokens[index] as Token;
  const next = tokens[index + 1]?.start ?? end;
  return kind === 'pair' && next > start ? next : end;
}
