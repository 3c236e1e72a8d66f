import type { WriteStream } from 'node:tty';

const WIDTH = 30;
const COLUMNS = 80;
const CLEAR_LINE = '\r\u001b[K';

/** A progress bar. Does nothing if the stream is not a terminal. */
export class Progress {
  readonly #stream: WriteStream;
  readonly #total: number;
  #done = 0;
  #label = '';
  #open = true;

  constructor(stream: WriteStream, total: number) {
    this.#stream = stream;
    this.#total = total;
  }

  advance(label: string): void {
    this.#done++;
    this.#label = label;
    this.draw();
  }

  clear(): void {
    if (this.#stream.isTTY && this.#open) this.#stream.write(CLEAR_LINE);
  }

  draw(): void {
    if (!this.#stream.isTTY || !this.#open) return;
    const filled = this.#total === 0 ? WIDTH : Math.round((this.#done / this.#total) * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    const text = `${bar} ${this.#done}/${this.#total} ${this.#label}`;
    // A longer line would wrap, and could not be removed.
    this.#stream.write(CLEAR_LINE + text.slice(0, (this.#stream.columns || COLUMNS) - 1));
  }

  /** Removes the bar. */
  end(): void {
    this.clear();
    this.#open = false;
  }
}
