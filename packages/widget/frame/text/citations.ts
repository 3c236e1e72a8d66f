/** The citations that the service recognizes: `[1]`, `[1, 2]`, `[1-3]`, also in Chinese and Japanese brackets. */
const CITATION = /[[【［](\d{1,3}(?:\s*[,;、，–-]\s*\d{1,3})*)[\]】］]/g;
const RANGE = /(\d+)\s*[–-]\s*(\d+)/g;
const MAX_RANGE = 20;

export interface Citation {
  /** As written, with its brackets. */
  readonly text: string;
  /** Ascending, without duplicates. */
  readonly numbers: readonly number[];
}

/** Splits a text at its citations. */
export function splitCitations(text: string): (string | Citation)[] {
  const parts: (string | Citation)[] = [];
  let end = 0;
  for (const { 0: whole, 1: cited = '', index } of text.matchAll(CITATION)) {
    if (index > end) parts.push(text.slice(end, index));
    parts.push({ text: whole, numbers: numbersIn(cited) });
    end = index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Removes the citations of a text and the space before them. */
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
