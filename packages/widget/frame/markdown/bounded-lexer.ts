import { Lexer, type Token, Tokenizer, type Tokens } from 'marked';

/** Deeper quotes and lists are text: nobody reads them, and each level costs stack. */
const DEEPEST = 12;
/** Longer ones go on as another, in UTF-16 units: what marked does with the lines in them is quadratic. */
const LONGEST_QUOTE = 4_096;
const LONGEST_LIST = 16_384;
/** A table of more cells goes on as text: a short row is filled up to the width of the first. */
const MOST_CELLS = 4_000;
/** Runs of text with more than this hold no marks: finding which of them belong together is quadratic. */
const LONGEST_RUN = 8_000;
const LONGEST_WORD = 1_000;
const MOST_MARKS = 300;
const MARK = /[*_~`[\]<@&\\]/g;
const QUOTE_START = /^ {0,3}>/;
const ITEM_START = /^ {0,3}(?:[-*+]|\d{1,9}[.)])/;
const NEXT_ITEM = /\n(?= {0,3}(?:[-*+]|\d{1,9}[.)])[ \t])/g;
const TABLE_HEAD = /^[^\n]+\n(?= {0,3}[|:-][|: -]*(?:\n|$))/;
const LONG_WORD = new RegExp(`\\S{${LONGEST_WORD}}`);

/** The inline tokens of runs of text, by the run. */
export type Runs = Map<string, Token[]>;

/**
 * The block tokens of GFM, within bounds that hold for any text. Left out on purpose: HTML (it is text, but
 * for `<br>`), headings that are underlined (a line of dashes would change a paragraph that is already
 * there), and definitions of links (the same, and `[1]: …` would take over a citation).
 *
 * @param known runs of an earlier text, whose tokens are used again as the same objects.
 */
export function lexMarkdown(text: string, known: Runs): { tokens: Token[]; runs: Runs } {
  const lexer = new Lexer({ gfm: true, tokenizer: new BoundedTokenizer() });
  const runs: Runs = new Map();
  try {
    lexer.blockTokens(text, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      const inline = runs.get(src) ?? known.get(src) ?? inlineTokens(lexer, src);
      runs.set(src, inline);
      tokens.push(...inline);
    }
    return { tokens: [...lexer.tokens], runs };
  } catch {
    // A parser of 3,000 lines may have a text that it fails at. Such a text is shown as it is.
    return { tokens: [plain(text)], runs };
  }
}

/** A block that is shown as it was written. */
export function plain(text: string): Tokens.Generic {
  return { type: 'plain', raw: text, text };
}

function inlineTokens(lexer: Lexer, run: string): Token[] {
  const isHeavy =
    run.length > LONGEST_RUN || (run.match(MARK)?.length ?? 0) > MOST_MARKS || LONG_WORD.test(run);
  return isHeavy ? [{ type: 'text', raw: run, text: run }] : lexer.inlineTokens(run);
}

class BoundedTokenizer extends Tokenizer {
  #depth = 0;

  override blockquote(src: string): Tokens.Blockquote | undefined {
    if (!QUOTE_START.test(src)) return undefined;
    return this.#deeper(() => super.blockquote(wholeLines(src, LONGEST_QUOTE)));
  }

  override list(src: string): Tokens.List | undefined {
    if (!ITEM_START.test(src)) return undefined;
    return this.#deeper(() => super.list(wholeItems(src, LONGEST_LIST)));
  }

  /** As it was; but marked joins no paragraphs when this is overridden, which is quadratic too. */
  override paragraph(src: string): Tokens.Paragraph | undefined {
    return super.paragraph(src);
  }

  override table(src: string): Tokens.Table | undefined {
    const columns = TABLE_HEAD.exec(src)?.[0].split('|').length ?? Number.POSITIVE_INFINITY;
    return columns > MOST_CELLS ? undefined : super.table(firstLines(src, MOST_CELLS / columns));
  }

  override br(src: string): Tokens.Br | undefined {
    const [raw] = /^<br ?\/?>/i.exec(src) ?? [];
    return raw === undefined ? super.br(src) : { type: 'br', raw };
  }

  override html(): undefined {}
  override tag(): undefined {}
  override lheading(): undefined {}
  override def(): undefined {}
  override reflink(): undefined {}

  #deeper<T>(lex: () => T): T | undefined {
    if (this.#depth >= DEEPEST) return undefined;
    this.#depth++;
    try {
      return lex();
    } finally {
      this.#depth--;
    }
  }
}

/** As many lines from the start as fit in `length`; the first one in any case. */
function wholeLines(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('\n', length - 1);
  return end > 0 ? text.slice(0, end + 1) : firstLines(text, 1);
}

function wholeItems(text: string, length: number): string {
  if (text.length <= length) return text;
  const lines = wholeLines(text, length);
  const end = Array.from(lines.matchAll(NEXT_ITEM)).at(-1)?.index ?? 0;
  return end > 0 ? lines.slice(0, end + 1) : lines;
}

function firstLines(text: string, count: number): string {
  let end = 0;
  for (let line = 0; line < count; line++) {
    end = text.indexOf('\n', end) + 1;
    if (end === 0) return text;
  }
  return text.slice(0, end);
}
