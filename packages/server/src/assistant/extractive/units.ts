import { sentencesOf, tokenise } from '../../lib/text/index.ts';

/** The smallest quotable part of a passage: a sentence, a list item or a table row. */
export interface Unit {
  /** A single line, without a list marker. Never empty. */
  readonly text: string;
  /** Zero-based index of the paragraph in the passage. */
  readonly block: number;
  readonly isItem: boolean;
  /** `true` for a table row, whose cells are separated by ` | `. */
  readonly isRow: boolean;
  /** The question that the unit answers, or the sentence that introduces its list. `null`: none. */
  readonly lead: string | null;
}

const BLANK_LINES = /\n[^\S\n]*\n\s*/;
const LIST_MARK = /^(?:[-*+•‣◦–—]|\d{1,3}[.)])\s+/;
const ENDS_SENTENCE = /[\p{STerm}:;…|][\p{Pe}\p{Pf}"']*$/u;
const ROW = ' | ';
/** Minimum length of a wrapped line. A shorter line is not joined with the next line. */
const MIN_WRAPPED_LENGTH = 45;
/** The start of a line such as `Phone: 030 555`. Two such lines are separate entries, and not a wrapped sentence. */
const LABEL = /^\p{Lu}[^:.!?\n]{0,30}:\s/u;
const CONTINUATION = /^[\p{L}\p{N}("'„“«]/u;
/** Bidirectional controls, which could affect text after the quotation. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
const QUESTION = /[?？؟]["'”»)]*$/u;
/** Maximum length of an item that is one unit. A longer item is divided into sentences. */
const MAX_WHOLE_ITEM = 160;
/** Minimum number of terms. A shorter unit is a label, not a statement. */
const MIN_TERMS = 3;

/** Returns the units of a passage in order. */
export function unitsOf(text: string): Unit[] {
  const units: Unit[] = [];
  for (const [block, paragraph] of text.replace(BIDI_CONTROLS, '').split(BLANK_LINES).entries()) {
    for (const { text: line, isItem } of linesOf(paragraph)) {
      const isRow = line.includes(ROW);
      const isWhole = isRow || (isItem && line.length <= MAX_WHOLE_ITEM);
      for (const sentence of isWhole ? [line] : sentencesOf(line)) {
        const plain = sentence.replace(/\s+/g, ' ').trim();
        if (plain === '') continue;
        units.push({
          text: plain,
          block,
          isItem,
          isRow,
          lead: leadOf(units.at(-1), isItem, block),
        });
      }
    }
  }
  return units;
}

export function isQuestion({ text }: Pick<Unit, 'text'>): boolean {
  return QUESTION.test(text);
}

export function introducesList({ text }: Pick<Unit, 'text'>): boolean {
  return /[:：]$/.test(text);
}

/** Reports whether a unit can be an answer. Questions and labels cannot. */
export function isStatement(unit: Unit): boolean {
  return !isQuestion(unit) && tokenise(unit.text).length >= MIN_TERMS;
}

function leadOf(before: Unit | undefined, isItem: boolean, block: number): string | null {
  if (before === undefined) return null;
  if (isQuestion(before) || (isItem && introducesList(before))) return before.text;
  const continues = isItem ? before.isItem : before.block === block;
  return continues ? before.lead : null;
}

interface Line {
  readonly text: string;
  readonly isItem: boolean;
}

/** Returns the lines of a paragraph. Joins lines that were wrapped at a fixed width. */
function linesOf(paragraph: string): Line[] {
  const lines: Line[] = [];
  let isWrapped = false;
  for (const raw of paragraph.split('\n')) {
    const line = raw.trim();
    const mark = LIST_MARK.exec(line)?.[0] ?? '';
    const last = lines.at(-1);
    const isEntry = LABEL.test(line) && LABEL.test(last?.text ?? '');
    if (last !== undefined && isWrapped && !isEntry && mark === '' && CONTINUATION.test(line))
      lines[lines.length - 1] = { ...last, text: `${last.text} ${line}` };
    else lines.push({ text: line.slice(mark.length), isItem: mark !== '' });
    isWrapped =
      line.length >= MIN_WRAPPED_LENGTH && !line.includes(ROW) && !ENDS_SENTENCE.test(line);
  }
  return lines;
}
