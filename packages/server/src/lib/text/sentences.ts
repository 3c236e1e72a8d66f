/**
 * Ends of sentences in all scripts, with what closes around them; those of East Asia need no space. A row
 * of dots is tried from its first one only, which keeps the search linear.
 */
const TERMINAL = /(?<!\p{STerm})\p{STerm}+[\p{Pe}\p{Pf}\p{Pi}"']*\s+|[。！？｡]+[\p{Pe}\p{Pf}]*/gu;
/** A dot behind a single letter or a number of one or two digits rarely ends one: `z. B.`, `3. Mai`. */
const NO_END = /(?:^|[^\p{L}\p{N}])(?:\p{L}|\p{N}{1,2})\.\s+$/u;
/** How far back `NO_END` must see. */
const SIGHT = 12;

/**
 * The sentences of a text, each with the space behind it, so that together they are the text. By rules
 * of our own: `Intl.Segmenter` takes a second for 50 kB of Chinese, growing with the square of the length.
 */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: terminal, index } of text.matchAll(TERMINAL)) {
    const end = index + terminal.length;
    if (NO_END.test(text.slice(Math.max(start, end - SIGHT), end))) continue;
    sentences.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}
