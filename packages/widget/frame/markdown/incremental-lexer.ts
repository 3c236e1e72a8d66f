import type { Token } from 'marked';
import { lexMarkdown, plain, type Runs } from './bounded-lexer.ts';
import { closeUnfinished } from './unfinished.ts';

/**
 * Maximum length of formatted text in UTF-16 code units. The rest of a longer answer is plain text. The service has a
 * lower limit for answers.
 */
const MAX_LENGTH = 65_536;
/** The unsettled text is lexed again after it has grown by 1/128. */
const GROWTH = 128;
/** Later text can still change the last two blocks. For example, `2` after a list can become the list item `2.`. */
const UNSETTLED_BLOCKS = 2;

/**
 * Lexes a streaming answer. Settled blocks, which later text cannot change, are lexed only once. The unsettled text is
 * lexed again each time it has grown by 1/128. For a text of n characters, at most 129 n characters are lexed in total,
 * or about n if empty lines separate the paragraphs. Unchanged blocks remain the same objects.
 */
export class IncrementalLexer {
  #text = '';
  #isComplete = false;
  #blocks: readonly Token[] = [];
  /** The number of settled blocks. `#cut` is the position in the text where the settled blocks end. */
  #settled = 0;
  #cut = 0;
  #lexed = 0;
  #runs: Runs = new Map();

  /**
   * @param text the answer so far. The lexer starts over if the answer does not start with the previous text.
   * @param isStreaming `true` if more text can follow. `closeUnfinished` then completes the end.
   */
  lex(text: string, isStreaming: boolean): readonly Token[] {
    const unified = text.replace(/\r\n?/g, '\n');
    const source = unified.slice(0, MAX_LENGTH);
    const overflow = unified.slice(MAX_LENGTH);
    if (source !== this.#text || isStreaming === this.#isComplete)
      this.#lexNext(source, isStreaming);
    return overflow === '' ? this.#blocks : [...this.#blocks, plain(overflow)];
  }

  #lexNext(source: string, isStreaming: boolean): void {
    if (this.#isComplete || !source.startsWith(this.#text)) {
      this.#settled = 0;
      this.#cut = 0;
      this.#lexed = 0;
    }
    this.#text = source;
    this.#isComplete = !isStreaming;
    const isDeferred = source.length - this.#lexed < (source.length - this.#cut) / GROWTH;
    if (isStreaming && isDeferred) return;
    this.#lexed = source.length;
    this.#lexFromCut(source, isStreaming);
  }

  #lexFromCut(source: string, isStreaming: boolean): void {
    const unsettled = source.slice(this.#cut);
    const { tokens, runs } = lexMarkdown(
      isStreaming ? closeUnfinished(unsettled) : unsettled,
      this.#runs,
    );
    this.#runs = runs;
    const blocks = this.#blocks.slice(0, this.#settled);
    for (const token of tokens) {
      const before = this.#blocks[blocks.length];
      blocks.push(before?.raw === token.raw && before.type === token.type ? before : token);
    }
    this.#blocks = blocks;
    if (isStreaming) this.#settle(tokens, unsettled);
  }

  #settle(tokens: readonly Token[], text: string): void {
    const count = countSettled(tokens);
    const raw = tokens
      .slice(0, count)
      .map((token) => token.raw)
      .join('');
    if (!text.startsWith(raw)) return;
    this.#settled += count;
    this.#cut += raw.length;
  }
}

/** Returns the number of settled blocks. Blocks are settled before an empty line that at least two blocks follow. */
function countSettled(tokens: readonly Token[]): number {
  let blocks = 0;
  for (let index = tokens.length - 1; index > 0; index--) {
    if (tokens[index]?.type !== 'space') blocks++;
    else if (blocks >= UNSETTLED_BLOCKS) return index + 1;
  }
  return 0;
}
