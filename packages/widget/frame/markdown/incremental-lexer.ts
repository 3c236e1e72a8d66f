import type { Token } from 'marked';
import { lexMarkdown, plain, type Runs } from './bounded-lexer.ts';
import { asFarAsClear } from './unfinished.ts';

/** Of an answer, in UTF-16 units; what is behind it is shown as it is. The service ends answers before. */
const LONGEST = 65_536;
/** What is not settled is read again when it has grown by one part in so many. */
const GROWTH = 128;
/** The last two blocks may still become one: `2` under a list becomes an item of it. */
const UNSETTLED_BLOCKS = 2;

/**
 * The blocks of an answer that is being written. What nothing can change any more is read once; the rest
 * again when it has grown by a 128th, so that a text of n characters costs reading 129 n at most, however
 * many parts it comes in, and as much as n where paragraphs are parted by empty lines. Blocks that stay as
 * they were stay the same objects.
 */
export class AnswerLexer {
  #text = '';
  #isWhole = false;
  #blocks: readonly Token[] = [];
  /** How many of the blocks are settled, and where in the text they end. */
  #settled = 0;
  #cut = 0;
  #read = 0;
  #runs: Runs = new Map();

  /**
   * @param text the whole answer so far; when it does not go on from the last one, all is read anew.
   * @param isComing whether more may come; then the end is shown as far as it is clear what it is.
   */
  read(text: string, isComing: boolean): readonly Token[] {
    const unified = text.replace(/\r\n?/g, '\n');
    const source = unified.slice(0, LONGEST);
    const behind = unified.slice(LONGEST);
    if (source !== this.#text || isComing === this.#isWhole) this.#readNext(source, isComing);
    return behind === '' ? this.#blocks : [...this.#blocks, plain(behind)];
  }

  #readNext(source: string, isComing: boolean): void {
    if (this.#isWhole || !source.startsWith(this.#text)) {
      this.#settled = 0;
      this.#cut = 0;
      this.#read = 0;
    }
    this.#text = source;
    this.#isWhole = !isComing;
    const waits = source.length - this.#read < (source.length - this.#cut) / GROWTH;
    if (isComing && waits) return;
    this.#read = source.length;
    this.#readFromCut(source, isComing);
  }

  #readFromCut(source: string, isComing: boolean): void {
    const unsettled = source.slice(this.#cut);
    const { tokens, runs } = lexMarkdown(
      isComing ? asFarAsClear(unsettled) : unsettled,
      this.#runs,
    );
    this.#runs = runs;
    const blocks = this.#blocks.slice(0, this.#settled);
    for (const token of tokens) {
      const before = this.#blocks[blocks.length];
      blocks.push(before?.raw === token.raw && before.type === token.type ? before : token);
    }
    this.#blocks = blocks;
    if (isComing) this.#settle(tokens, unsettled);
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

/** How many blocks no later text can change: those before an empty line that two blocks follow. */
function countSettled(tokens: readonly Token[]): number {
  let blocks = 0;
  for (let index = tokens.length - 1; index > 0; index--) {
    if (tokens[index]?.type !== 'space') blocks++;
    else if (blocks >= UNSETTLED_BLOCKS) return index + 1;
  }
  return 0;
}
