import { FairQueue } from '../scheduling/index.ts';
import { StorageUnavailable } from './storage-errors.ts';

interface Waiting {
  readonly begin: () => void;
  readonly fail: (reason: unknown) => void;
}

const MAX_WAITING = 64;

/** Runs a bounded number of operations concurrently. Keys, such as spaces, take turns. */
export class FairSemaphore {
  readonly #permits: number;
  readonly #waiting = new FairQueue<Waiting>();
  #acquired = 0;

  constructor(permits: number) {
    this.#permits = permits;
  }

  /**
   * Runs an operation when a permit is free and returns its result.
   *
   * @param key the owner of the operation, such as a space's id.
   * @param signal when it aborts, an operation that has not started fails with the signal's reason.
   * @throws {StorageUnavailable} `overloaded` if 64 operations of the key are waiting.
   */
  async run<Result>(
    key: string,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#waiting.lengthOf(key) >= MAX_WAITING) throw new StorageUnavailable('overloaded');
    const { promise: turn, resolve: begin, reject: fail } = Promise.withResolvers<void>();
    const waiting = { begin, fail };
    const giveUp = () => {
      if (this.#waiting.remove(key, waiting)) fail(signal?.reason);
    };
    this.#waiting.add(key, waiting);
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#dispatch();
    try {
      await turn;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
    try {
      return await work();
    } finally {
      this.#acquired -= 1;
      this.#dispatch();
    }
  }

  /** Rejects all operations that have not started. */
  failAll(reason: unknown): void {
    for (const { fail } of this.#waiting.takeAll()) fail(reason);
  }

  #dispatch(): void {
    while (this.#acquired < this.#permits) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      this.#acquired += 1;
      next.begin();
    }
  }
}
