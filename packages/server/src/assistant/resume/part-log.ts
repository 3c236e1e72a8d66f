import { GrowingText } from '../../lib/text/index.ts';
import type { Chunk } from '../turns/ui-stream.rules.ts';

type Delta = Extract<Chunk, { readonly delta: string }>;

/** The parts of one answer, for one client of this process and for the store. */
export class PartLog {
  readonly #all = new JoinedParts();
  #unread = new JoinedParts();
  /** `false` when the client will read no more parts. */
  #isRead = true;
  #hasEnded = false;
  #waiting = Promise.withResolvers<void>();

  /** All parts. Consecutive texts are joined. */
  get parts(): readonly Chunk[] {
    return this.#all.toArray();
  }

  push(part: Chunk): void {
    this.#all.push(part);
    if (!this.#isRead) return;
    this.#unread.push(part);
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  /**
   * Yields all parts from the first one. A slow client gets consecutive texts as one part. Ends when the answer ends or the signal
   * aborts. Call it once.
   */
  async *read(gone: AbortSignal): AsyncGenerator<Chunk> {
    gone.addEventListener('abort', () => this.#wake(), { once: true });
    try {
      while (!gone.aborted) {
        const { promise } = this.#waiting;
        const hasEnded = this.#hasEnded;
        const unread = this.#unread;
        this.#unread = new JoinedParts();
        yield* unread.toArray();
        if (hasEnded) return;
        await promise;
      }
    } finally {
      this.#isRead = false;
      this.#unread = new JoinedParts();
    }
  }

  #wake(): void {
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers<void>();
  }
}

/** A list of parts in which consecutive texts are joined into one part. */
class JoinedParts {
  readonly #parts: Chunk[] = [];
  /** The last part, if it is text, which can still grow. */
  #last: { readonly part: Delta; readonly text: GrowingText } | null = null;

  push(part: Chunk): void {
    if (part.type === 'text-delta') {
      if (this.#last === null) this.#last = { part, text: new GrowingText() };
      this.#last.text.add(part.delta);
      return;
    }
    this.#parts.push(...this.#open());
    this.#last = null;
    this.#parts.push(part);
  }

  toArray(): readonly Chunk[] {
    return [...this.#parts, ...this.#open()];
  }

  #open(): readonly Chunk[] {
    if (this.#last === null) return [];
    const { part, text } = this.#last;
    return [{ ...part, delta: text.toString() }];
  }
}

/** Yields the parts of `after` that are not in `before`, which is an earlier state of the same answer. */
export function* partsBetween(before: readonly Chunk[], after: readonly Chunk[]): Generator<Chunk> {
  for (const [at, part] of after.entries()) {
    const known = before[at];
    if (known === undefined) yield part;
    else if (known.type === 'text-delta' && part.type === 'text-delta') {
      const delta = part.delta.slice(known.delta.length);
      if (delta !== '') yield { ...part, delta };
    }
  }
}
