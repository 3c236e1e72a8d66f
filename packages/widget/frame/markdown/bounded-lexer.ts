import { Lexer, type Token, Tokenizer, type Tokens } from 'marked';

/** Deeper quotes and lists are text, because each level costs stack. */
const MAX_DEPTH = 12;
/** In UTF-16 units. Longer quotes and lists are split, because marked takes quadratic time for their lines. */
const MAX_QUOTE = 4_096;
const MAX_LIST = 16_384;
/** Further rows are text, because short rows are padded to the width of the first. */
const MAX_CELLS = 4_000;
/** Marks in runs of text over these limits are literal, because pairing marks takes quadratic time. */
export const MAX_RUN = 8_000;
const MAX_WORD = 1_000;
const MAX_MARKS = 300;
const MARK = /[*_~`[\]<@&\\]/g;
const QUOTE_START = /^ {0,3}>/;
const ITEM_START = /^ {0,3}(?:[-*+]|\d{1,9}[.)])/;
const NEXT_ITEM = /\n(?= {0,3}(?:[-*+]|\d{1,9}[.)])[ \t])/g;
const TABLE_HEAD = /^[^\n]+\n(?= {0,3}[|:-][|: -]*(?:\n|$))/;
const LONG_WORD = new RegExp(`\\S{${MAX_WORD}}`);

/** The inline tokens by run of text. */
export type Runs = Map<string, Token[]>;

/**
 * Lexes GFM with bounded time and depth for any text. Does not support HTML, which is text except for `<br>`;
 * setext headings, because a line of dashes would change a rendered paragraph; and link definitions, for the same
 * reason and because `[1]: …` would redefine a citation.
 *
 * @param known runs of the previous text. Their tokens are reused as the same objects.
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
    // If marked fails, render the text without formatting.
    return { tokens: [plain(text)], runs };
  }
}

/** Returns a block of literal text. */
export function plain(text: string): Tokens.Generic {
  return { type: 'plain', raw: text, text };
}

function inlineTokens(lexer: Lexer, run: string): Token[] {
  const isHeavy =
    run.length > MAX_RUN || (run.match(MARK)?.length ?? 0) > MAX_MARKS || LONG_WORD.test(run);
  return isHeavy ? [{ type: 'text', raw: run, text: run }] : lexer.inlineTokens(run);
}

class BoundedTokenizer extends Tokenizer {
  #depth = 0;

  override blockquote(src: string): Tokens.Blockquote | undefined {
    if (!QUOTE_START.test(src)) return undefined;
    return this.#deeper(() => super.blockquote(wholeLines(src, MAX_QUOTE)));
  }

  override list(src: string): Tokens.List | undefined {
    if (!ITEM_START.test(src)) return undefined;
    return this.#deeper(() => super.list(wholeItems(src, MAX_LIST)));
  }

  /** Does not change the result, but an override stops marked from joining paragraphs, which takes quadratic time. */
  override paragraph(src: string): Tokens.Paragraph | undefined {
    return super.paragraph(src);
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

  #deeper<T>(lex: () => T): T | undefined {
    if (this.#depth >= MAX_DEPTH) return undefined;
    this.#depth++;
    try {
      return lex();
    } finally {
      this.#depth--;
    }
  }
}

/** Returns the first lines of a text that fit in `length`, but at least one. */
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
