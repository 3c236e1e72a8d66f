import type { Chunk } from '../turns/ui-stream.rules.ts';

/** The parts of one answer, for readers in this process. Consecutive texts are joined. */
export class PartLog {
  #parts: readonly Chunk[] = [];
  #hasEnded = false;
  #waiting = Promise.withResolvers<void>();

  get parts(): readonly Chunk[] {
    return this.#parts;
  }

  push(part: Chunk): void {
    this.#parts = joined(this.#parts, part);
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  /** Yields all parts from the first one. Ends when the answer ends or the signal aborts. */
  async *read(gone: AbortSignal): AsyncGenerator<Chunk> {
    const aborted = Promise.withResolvers<void>();
    gone.addEventListener('abort', () => aborted.resolve(), { once: true });
    let before: readonly Chunk[] = [];
    while (!gone.aborted) {
      const { promise } = this.#waiting;
      const hasEnded = this.#hasEnded;
      const after = this.#parts;
      yield* partsBetween(before, after);
      before = after;
      if (hasEnded) return;
      await Promise.race([promise, aborted.promise]);
    }
  }

  #wake(): void {
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers<void>();
  }
}

function joined(parts: readonly Chunk[], part: Chunk): readonly Chunk[] {
  const last = parts.at(-1);
  if (last?.type !== 'text-delta' || part.type !== 'text-delta') return [...parts, part];
  return [...parts.slice(0, -1), { ...last, delta: last.delta + part.delta }];
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
