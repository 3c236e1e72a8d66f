import { FairQueue } from '../../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../../lib/threads/index.ts';

/** Pages that are read at once: each holds a connection now and then, and up to some megabytes. */
const AT_ONCE = 4;
/** Pages that may wait for one space. */
const MOST_WAITING = 64;

/** Reads of pages, a few at once, the spaces in turn, so that nobody's many take all connections. */
export class ReadScheduler {
  readonly #waiting = new FairQueue<() => Promise<void>>();
  #underWay = 0;

  /** Throws `StorageUnavailable` when too many of the space wait. */
  async run<Page>(spaceId: string, read: () => Promise<Page>): Promise<Page> {
    if (this.#waiting.lengthOf(spaceId) >= MOST_WAITING) throw new StorageUnavailable('overloaded');
    const { promise, resolve, reject } = Promise.withResolvers<Page>();
    this.#waiting.add(spaceId, () => read().then(resolve, reject));
    this.#fill();
    return promise;
  }

  #fill(): void {
    while (this.#underWay < AT_ONCE) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      this.#underWay += 1;
      void next().then(() => {
        this.#underWay -= 1;
        this.#fill();
      });
    }
  }
}
