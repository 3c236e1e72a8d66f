import { Lexer, type Token, Tokenizer, type Tokens } from 'marked';
import { displayFormula, lexAroundFormulas, lexBeforeFormula } from './formulas.ts';

/** Maximum depth of quotes and lists. Deeper levels are literal text, because each level uses stack space. */
const MAX_DEPTH = 12;
/**
 * Maximum length of a quote or list in UTF-16 code units. Longer quotes and lists are split, because marked takes
 * quadratic time for them.
 */
const MAX_QUOTE = 4_096;
const MAX_LIST = 16_384;
/**
 * Maximum number of cells per table. Further rows are literal text. marked adds empty cells to short rows, so the cost
 * of a row is proportional to the number of columns.
 */
const MAX_CELLS = 4_000;
/**
 * Limits for a run of inline text. A run over a limit is not formatted, because pairing delimiters takes quadratic
 * time.
 */
export const MAX_RUN = 8_000;
const MAX_WORD = 1_000;
const MAX_MARKS = 300;
const MARK = /[*_~`[\]<@&\\]/g;
const QUOTE_START = /^ {0,3}>/;
const ITEM_START = /^ {0,3}(?:[-*+]|\d{1,9}[.)])/;
const NEXT_ITEM = /\n(?= {0,3}(?:[-*+]|\d{1,9}[.)])[ \t])/g;
const TABLE_HEAD = /^[^\n]+\n(?= {0,3}[|:-][|: -]*(?:\n|$))/;
const LONG_WORD = new RegExp(`\\S{${MAX_WORD}}`);

export type Runs = Map<string, Token[]>;

/**
 * Lexes GFM and formulas in bounded time and depth. Three features are not supported:
 * - HTML, except `<br>`. Other tags are literal text.
 * - Setext headings, because a line of dashes would change a paragraph that is already rendered.
 * - Link definitions, because they would change rendered text, and `[1]: …` would redefine a citation.
 *
 * @param known the runs of the previous text. The token objects of known runs are reused.
 */
export function lexMarkdown(text: string, known: Runs): { tokens: Token[]; runs: Runs } {
  const extensions = { block: [displayFormula], renderers: {}, childTokens: {} };
  const lexer = new Lexer({ gfm: true, tokenizer: new BoundedTokenizer(), extensions });
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
    // If marked fails, render the text without formatting.
    return { tokens: [plain(text)], runs };
  }
}

export function plain(text: string): Tokens.Generic {
  return { type: 'plain', raw: text, text };
}

function inlineTokens(lexer: Lexer, run: string): Token[] {
  const isHeavy =
    run.length > MAX_RUN || (run.match(MARK)?.length ?? 0) > MAX_MARKS || LONG_WORD.test(run);
  return isHeavy
    ? [{ type: 'text', raw: run, text: run }]
    : lexAroundFormulas(run, (text) => lexer.inlineTokens(text));
}

class BoundedTokenizer extends Tokenizer {
  #depth = 0;

  override blockquote(src: string): Tokens.Blockquote | undefined {
    if (!QUOTE_START.test(src)) return undefined;
    return this.#nest(() => super.blockquote(leadingLines(src, MAX_QUOTE)));
  }

  override list(src: string): Tokens.List | undefined {
    if (!ITEM_START.test(src)) return undefined;
    return this.#nest(() => super.list(leadingItems(src, MAX_LIST)));
  }

  /**
   * Ends a paragraph before a display formula. The presence of an override also prevents marked from joining paragraphs in
   * quadratic time.
   */
  override paragraph(src: string): Tokens.Paragraph | undefined {
    return lexBeforeFormula(src, (text) => super.paragraph(text));
  }

  override table(src: string): Tokens.Table | undefined {
    const columns = TABLE_HEAD.exec(src)?.[0].split('|').length ?? Number.POSITIVE_INFINITY;
    return columns > MAX_CELLS ? undefined : super.table(firstLines(src, MAX_CELLS / columns));
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

  #nest<T>(lex: () => T): T | undefined {
    if (this.#depth >= MAX_DEPTH) return undefined;
    this.#depth++;
    try {
      return lex();
    } finally {
      this.#depth--;
    }
  }
}

/** Returns as many leading lines of a text as fit in `length` characters, but at least one line. */
function leadingLines(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('\n', length - 1);
  return end > 0 ? text.slice(0, end + 1) : firstLines(text, 1);
}

function leadingItems(text: string, length: number): string {
  if (text.length <= length) return text;
  const lines = leadingLines(text, length);
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
