const DIGITS = 14;

/** Returns the time of the monotonic clock in microseconds, as text with 14 digits. All processes share this clock. */
export function stamp(): string {
  return String(Math.floor(now())).padStart(DIGITS, '0');
}

/** Returns the time of the monotonic clock in microseconds. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}

/** Finds time stamps in a text that arrives in chunks. The text between a mark and the next quote can contain several stamps. */
export class StampReader {
  readonly #mark: string;
  #rest = '';

  constructor(mark: string) {
    this.#mark = mark;
  }

  read(piece: string): number[] {
    const text = this.#rest + piece;
    const stamps: number[] = [];
    let end = 0;
    for (;;) {
      const start = text.indexOf(this.#mark, end);
      const close = start === -1 ? -1 : text.indexOf('"', start + this.#mark.length);
      if (close === -1) {
        // A mark, or the text after a mark, may be split between two chunks.
        this.#rest = text.slice(
          start === -1 ? Math.max(end, text.length - this.#mark.length) : start,
        );
        return stamps;
      }
      const content = text.slice(start + this.#mark.length, close);
      stamps.push(...(content.match(/\d{14}/g) ?? []).map(Number));
      end = close;
    }
  }
}
