import type { Phrase, Query } from './query.ts';
import { type Token, tokenise } from './tokenise.ts';

/** Start and end, as UTF-16 offsets. */
export type Range = readonly [start: number, end: number];

/** A place of a text that the query found. */
export interface Hit {
  readonly start: number;
  readonly end: number;
  /** Which of the query's terms and phrases it is, counted from 0. */
  readonly part: number;
}

/** Where a query's terms and phrases stand in a text: in order, not empty, neither overlapping nor touching. */
export function ranges(text: string, query: Query): Range[] {
  return merge(findHits(text, query));
}

/** Every hit, by where it starts; several may cover the same letters. */
export function findHits(text: string, query: Query): Hit[] {
  const tokens = tokenise(text);
  const hits = [...termHits(tokens, query), ...phraseHits(tokens, query)];
  return hits.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Ranges of hits that are in order. */
export function merge(hits: readonly Hit[]): Range[] {
  const merged: [number, number][] = [];
  for (const { start, end } of hits) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function* termHits(tokens: readonly Token[], { terms }: Query): Generator<Hit> {
  const exact = new Map(terms.map(({ term }, part) => [term, part]));
  const prefixes = terms.flatMap(({ prefix }, part) => (prefix === null ? [] : [{ prefix, part }]));
  for (const [index, { term, start, end }] of tokens.entries()) {
    const part = exact.get(term);
    if (part !== undefined) yield { start, end, part };
    else {
      const found = prefixes.find(({ prefix }) => term.startsWith(prefix));
      if (found !== undefined) yield { start, end: prefixEnd(tokens, index), part: found.part };
    }
  }
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

/** Where the phrase ends that starts with the word at this index, or null. */
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

/** Of a pair whose first letter was found, that letter ends where the next token starts. */
function prefixEnd(tokens: readonly Token[], index: number): number {
  const { kind, start, end } = tokens[index] as Token;
  const next = tokens[index + 1]?.start ?? end;
  return kind === 'pair' && next > start ? next : end;
}
