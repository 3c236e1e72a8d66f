import type { Token } from 'marked';
import { lexMarkdown, plain, type Runs } from './bounded-lexer.ts';
import { closeUnfinished } from './unfinished.ts';

/** In UTF-16 units. The rest of a longer answer is plain text. The service limits answers to less. */
const MAX_LENGTH = 65_536;
/** The unsettled text is lexed again when it has grown by 1/128. */
const GROWTH = 128;
/** Later text can still join the last two blocks: `2` after a list becomes an item `2.` of it. */
const UNSETTLED_BLOCKS = 2;

/**
 * Lexes a streaming answer. It lexes settled blocks, which later text cannot change, only once. It lexes the
 * rest again when that has grown by 1/128, so a text of n characters costs at most 129 n in any number of parts,
 * and about n if empty lines separate paragraphs. Unchanged blocks stay the same objects.
 */
export class IncrementalLexer {
  #text = '';
  #isWhole = false;
  #blocks: readonly Token[] = [];
  /** Number of settled blocks, and the position in the text where they end. */
  #settled = 0;
  #cut = 0;
  #lexed = 0;
  #runs: Runs = new Map();

  /**
   * @param text the whole answer so far. If it does not continue the previous text, the lexer starts over.
   * @param isStreaming whether more text can follow, so that the end is completed by `closeUnfinished`.
   */
  lex(text: string, isStreaming: boolean): readonly Token[] {
    const unified = text.replace(/\r\n?/g, '\n');
    const source = unified.slice(0, MAX_LENGTH);
    const behind = unified.slice(MAX_LENGTH);
    if (source !== this.#text || isStreaming === this.#isWhole) this.#lexNext(source, isStreaming);
    return behind === '' ? this.#blocks : [...this.#blocks, plain(behind)];
  }

  #lexNext(source: string, isStreaming: boolean): void {
    if (this.#isWhole || !source.startsWith(this.#text)) {
      this.#settled = 0;
      this.#cut = 0;
      this.#lexed = 0;
    }
    this.#text = source;
    this.#isWhole = !isStreaming;
    const waits = source.length - this.#lexed < (source.length - this.#cut) / GROWTH;
    if (isStreaming && waits) return;
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

/** Returns the number of settled blocks: those before an empty line that at least two blocks follow. */
function countSettled(tokens: readonly Token[]): number {
  let blocks = 0;
  for (let index = tokens.length - 1; index > 0; index--) {
    if (tokens[index]?.type !== 'space') blocks++;
    else if (blocks >= UNSETTLED_BLOCKS) return index + 1;
  }
  return 0;
}
