import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { readQuery, tokenise } from '../../lib/text/index.ts';

/** Parameters of BM25. */
const K1 = 1.2;
const B = 0.75;
/** Factor of terms that are only other forms of a word of the query. */
const FORM_FACTOR = 0.5;
/** Number of characters that are read before other work may run. About 4 ms. */
const SLICE = 100_000;

interface Word {
  readonly term: string;
  /** Start of all forms of the word. `null`: only the term itself counts. */
  readonly prefix: string | null;
  /** Occurrences by text. */
  readonly counts: Map<number, number>;
}

/**
 * Returns the positions of the texts that match a query best, best first. Omits texts without a word of the query. The statistics
 * consist of these texts alone. Reads all texts for each query. That takes less time and memory than an index that only one or two
 * queries use.
 *
 * @example
 * await rankTexts(passages.map(({ text }) => text), 'refund policy', 4); // [2, 0]
 */
export async function rankTexts(
  texts: readonly string[],
  query: string,
  limit: number,
): Promise<number[]> {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const lengths: number[] = [];
  let unread = SLICE;
  for (const [at, text] of texts.entries()) {
    const tokens = tokenise(text);
    for (const { term } of tokens) for (const word of words) count(word, term, at);
    lengths.push(tokens.length);
    unread -= text.length;
    if (unread > 0) continue;
    unread = SLICE;
    await yieldToOthers();
  }
  return best(words, lengths).slice(0, limit);
}

function wordsOf(query: string): Word[] {
  const { terms, phrases } = readQuery(query);
  return [
    ...terms.map(({ term, prefix }) => ({ term, prefix, counts: new Map() })),
    ...phrases.flatMap((phrase) =>
      phrase.terms.map((term) => ({ term, prefix: null, counts: new Map() })),
    ),
  ];
}

function count({ term, prefix, counts }: Word, found: string, at: number): void {
  if (found === term) counts.set(at, (counts.get(at) ?? 0) + 1);
  else if (prefix !== null && found.startsWith(prefix))
    counts.set(at, (counts.get(at) ?? 0) + FORM_FACTOR);
}

/** Returns the positions of the texts that contain a word, best first. */
function best(words: readonly Word[], lengths: readonly number[]): number[] {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const average = Math.max(1, total / Math.max(1, lengths.length));
  const scores = new Map<number, number>();
  for (const { counts } of words) {
    const idf = Math.log(1 + (lengths.length - counts.size + 0.5) / (counts.size + 0.5));
    for (const [at, number] of counts) {
      const norm = 1 - B + (B * (lengths[at] ?? 0)) / average;
      const score = (idf * (K1 + 1) * number) / (number + K1 * norm);
      scores.set(at, (scores.get(at) ?? 0) + score);
    }
  }
  return [...scores]
    .toSorted(([oneAt, one], [otherAt, other]) => other - one || oneAt - otherAt)
    .map(([at]) => at);
}
