const DIGITS = 14;

/** Microseconds of the machine's monotonic clock, which all its processes share, in as many digits each time. */
export function stamp(): string {
  return String(Math.floor(now())).padStart(DIGITS, '0');
}

/** Microseconds. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}

/**
 * Finds the stamps in a text that comes in pieces: those behind a mark, each with a space behind it, since
 * what is sent in several parts may arrive as one.
 */
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
      const at = text.indexOf(this.#mark, end);
      const close = at === -1 ? -1 : text.indexOf('"', at + this.#mark.length);
      if (close === -1) {
        // A mark, or what stands behind it, may be cut in two.
        this.#rest = text.slice(at === -1 ? Math.max(end, text.length - this.#mark.length) : at);
        return stamps;
      }
      const said = text.slice(at + this.#mark.length, close);
      stamps.push(...(said.match(/\d{14}/g) ?? []).map(Number));
      end = close;
    }
  }
}
