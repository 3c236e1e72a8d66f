import { matchFormula } from './formulas.ts';

export interface MarkdownPart {
  readonly text: string;
  /** Code and formulas are literal: they contain no Markdown. */
  readonly kind: 'text' | 'code' | 'formula';
}

const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;

/** Splits complete Markdown into text, code and formulas. Joining the parts returns the original text. */
export function splitLiterals(markdown: string): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  let fence: string | null = null;
  let paragraph = '';
  const endParagraph = () => {
    parts.push(...splitParagraph(paragraph));
    paragraph = '';
  };
  for (const line of markdown.split(/(?<=\n)/)) {
    const mark: string | undefined = FENCE.exec(line.trimEnd())?.[1];
    const isInCode: boolean = fence !== null || mark !== undefined;
    if (isInCode || line.trim() === '') endParagraph();
    if (isInCode) parts.push({ text: line, kind: 'code' });
    else paragraph += line;
    fence = fence === null ? (mark ?? null) : isEndOf(fence, line) ? null : fence;
  }
  endParagraph();
  return parts;
}

function isEndOf(fence: string, line: string): boolean {
  const end = line.replace(/^[ \t>]+/, '').trimEnd();
  return end.length >= fence.length && end === fence.charAt(0).repeat(end.length);
}

/** Splits a complete paragraph into text, code spans and formulas. Joining the parts returns the original text. */
export function splitParagraph(paragraph: string): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  const spans = new CodeSpans(paragraph);
  let textStart = 0;
  let at = 0;
  const add = (length: number, kind: MarkdownPart['kind']) => {
    if (at > textStart) parts.push({ text: paragraph.slice(textStart, at), kind: 'text' });
    parts.push({ text: paragraph.slice(at, at + length), kind });
    at += length;
    textStart = at;
  };
  while (at < paragraph.length) {
    const [skipped = ''] = /^[^\\`$]*/.exec(paragraph.slice(at)) ?? [];
    at += skipped.length;
    const rest = paragraph.slice(at);
    const [marks] = /^`+/.exec(rest) ?? [];
    const formula = matchFormula(paragraph.slice(Math.max(0, at - 1), at), rest);
    const code = marks === undefined ? null : spans.lengthAt(at, marks);
    if (code !== null) add(code, 'code');
    else if (formula !== null && formula !== 'unclear') add(formula.length, 'formula');
    else at += marks?.length ?? (rest.startsWith('\\') ? 2 : 1);
  }
  if (textStart < paragraph.length) parts.push({ text: paragraph.slice(textStart), kind: 'text' });
  return parts;
}

/** Finds code spans, which start and end with the same number of backticks, in linear time. */
class CodeSpans {
  /** Maps the length of a run of backticks to the positions of all runs of that length, in descending order. */
  readonly #byLength = new Map<number, number[]>();

  constructor(text: string) {
    for (const { 0: marks, index } of [...text.matchAll(/`+/g)].reverse()) {
      const same = this.#byLength.get(marks.length);
      if (same === undefined) this.#byLength.set(marks.length, [index]);
      else same.push(index);
    }
  }

  /** Returns the length of the code span that starts with these backticks, or `null`. Call with ascending positions. */
  lengthAt(at: number, { length }: string): number | null {
    const same = this.#byLength.get(length) ?? [];
    while ((same.at(-1) ?? Number.POSITIVE_INFINITY) <= at) same.pop();
    const end = same.at(-1);
    return end === undefined ? null : end + length - at;
  }
}
