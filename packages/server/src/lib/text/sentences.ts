/**
 * Ends of sentences in all scripts, with closing quotes and brackets. East Asian ends need no space. The lookbehind tries a row
 * of dots only once, which keeps the search linear.
 */
const TERMINAL = /(?<!\p{STerm})\p{STerm}+[\p{Pe}\p{Pf}\p{Pi}"']*\s+|[。！？｡]+[\p{Pe}\p{Pf}]*/gu;
/** A dot after a single letter or a number of one or two digits, which rarely ends a sentence: `z. B.`, `3. Mai`. */
const NOT_AN_END = /(?:^|[^\p{L}\p{N}])(?:\p{L}|\p{N}{1,2})\.\s+$/u;
/** Number of UTF-16 code units that `NOT_AN_END` examines. */
const LOOKBEHIND = 12;

/**
 * Splits a text into sentences, each with its trailing space. `Intl.Segmenter` is not used, because it takes time quadratic in
 * the length of Chinese text.
 */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: terminal, index } of text.matchAll(TERMINAL)) {
    const end = index + terminal.length;
    if (NOT_AN_END.test(text.slice(Math.max(start, end - LOOKBEHIND), end))) continue;
    sentences.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}
