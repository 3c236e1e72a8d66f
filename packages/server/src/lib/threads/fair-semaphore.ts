import { FairQueue } from '../scheduling/index.ts';
import { StorageUnavailable } from './storage-errors.ts';

interface Waiting {
  readonly begin: () => void;
  readonly fail: (reason: unknown) => void;
}

/** What may wait for one asker. */
const MOST_WAITING = 64;

/** Does so much at a time, for the askers in turn. */
export class FairSemaphore {
  readonly #atOnce: number;
  readonly #waiting = new FairQueue<Waiting>();
  #underWay = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * @param asker whose work it is, such as a space's id.
   * @param signal aborts when nobody wants the result any more; work that still waits then fails with the
   * signal's reason.
   * @throws StorageUnavailable `overloaded` when the asker has too much waiting.
   */
  async run<Result>(
    asker: string,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#waiting.lengthOf(asker) >= MOST_WAITING) throw new StorageUnavailable('overloaded');
    const { promise: turn, resolve: begin, reject: fail } = Promise.withResolvers<void>();
    const waiting = { begin, fail };
    const giveUp = () => {
      if (this.#waiting.remove(asker, waiting)) fail(signal?.reason);
    };
    this.#waiting.add(asker, waiting);
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#next();
    try {
      await turn;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      this.#next();
    }
  }

  /** Fails what has not begun. */
  failAll(reason: unknown): void {
    for (const { fail } of this.#waiting.takeAll()) fail(reason);
  }

  #next(): void {
    while (this.#underWay < this.#atOnce) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      this.#underWay += 1;
      next.begin();
    }
  }
}
