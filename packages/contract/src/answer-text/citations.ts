/** Matches `[1]`, `[1, 2]` and `[1-3]`, also in full-width and CJK brackets. No source has the number 0. */
const CITATION = /[[【［]([1-9]\d{0,2}(?:\s*[,;、，–-]\s*[1-9]\d{0,2})*)[\]】］]/g;
const RANGE = /(\d+)\s*[–-]\s*(\d+)/g;
const MAX_RANGE = 20;

export interface Citation {
  /** The original text, including the brackets. */
  readonly text: string;
  /** The numbers of the cited sources, ascending and without duplicates. */
  readonly numbers: readonly number[];
}

/** Splits a text at its citations. Joining the parts returns the original text. */
export function splitCitations(text: string): (string | Citation)[] {
  const parts: (string | Citation)[] = [];
  let end = 0;
  for (const { 0: match, 1: cited = '', index } of text.matchAll(CITATION)) {
    if (index > end) parts.push(text.slice(end, index));
    parts.push({ text: match, numbers: numbersIn(cited) });
    end = index + match.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Removes citations and the whitespace before them. */
export function withoutCitations(text: string): string {
  return text.replace(new RegExp(`\\s*${CITATION.source}`, 'g'), '');
}

function numbersIn(cited: string): number[] {
  const numbers = new Set((cited.match(/\d+/g) ?? []).map(Number));
  for (const [, first, last] of cited.matchAll(RANGE)) {
    const end = Math.min(Number(last), Number(first) + MAX_RANGE);
    for (let number = Number(first) + 1; number < end; number++) numbers.add(number);
  }
  return [...numbers].sort((a, b) => a - b);
}
