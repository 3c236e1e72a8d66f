import { Semaphore } from 'async-mutex';
import type { EventPage, EventQuery, EventStore } from '../../storage/ports/index.ts';
import type { Listener } from './listener.ts';
import { toChunk } from './live-text.rules.ts';
import { Tail } from './tail.ts';

export interface LiveSpaceOptions {
  readonly store: EventStore;
  readonly spaceId: string;
  /** Where the feed ends now. */
  readonly position: number;
  /** Hears why the store could not be read. */
  readonly onFailure: (error: unknown) => void;
}

const PAGE = 200;
/** Concurrent reads per space: other readers of its feed wait behind at most these. */
const MAX_READS = 4;

/**
 * The listeners of one space. Each is in one of two states:
 *
 *   behind ──has read up to the tail's position──▶ live: the tail gives it what comes
 *
 * One that is behind reads pages of its own, no faster than it takes them. None ever goes back: one that cannot
 * follow the tail is hung up on, and is behind when it comes again.
 */
export class LiveSpace {
  readonly listeners = new Set<Listener>();
  readonly #options: LiveSpaceOptions;
  readonly #pages: SharedPages;
  readonly #tail: Tail;

  constructor(options: LiveSpaceOptions) {
    this.#options = options;
    this.#pages = new SharedPages(options.store);
    this.#tail = new Tail(options);
  }

  /** Gives the listener everything behind its position, now and from now on, until it closes. */
  add(listener: Listener): void {
    this.listeners.add(listener);
    this.#catchUp(listener).catch((error) => {
      this.#options.onFailure(error);
      // It comes again by itself, and resumes where it was.
      listener.destroy();
    });
  }

  remove(listener: Listener): void {
    this.listeners.delete(listener);
    this.#tail.leave(listener);
  }

  /** Something may have been appended. */
  wake(): void {
    this.#tail.wake();
  }

  /** Looks whether something was appended without a word of it. */
  async look(): Promise<void> {
    const { store, spaceId } = this.#options;
    if ((await store.newest(spaceId)) > this.#tail.position) this.wake();
  }

  close(): void {
    this.#tail.close();
  }

  async #catchUp(listener: Listener): Promise<void> {
    const tail = this.#tail;
    while (!listener.destroyed) {
      if (listener.position === tail.position) return tail.join(listener);
      if (listener.position > tail.position) await tail.moved();
      else await this.#readOn(listener);
    }
  }

  async #readOn(listener: Listener): Promise<void> {
    const { spaceId } = this.#options;
    const { wanted, position: after } = listener;
    const page = await this.#pages.read({ ...wanted, spaceId, after, limit: PAGE });
    // What lies behind the tail's position, the tail will tell.
    const through = Math.min(page.through, this.#tail.position);
    const events = page.events.filter(({ position }) => position <= through);
    listener.give(toChunk(events), through);
    await listener.room();
  }
}

/**
 * Reads pages of a space's feed for listeners that resume. After a restart thousands of them resume at the same
 * position, so concurrent reads of the same page are shared.
 */
class SharedPages {
  readonly #store: Pick<EventStore, 'read'>;
  readonly #wanted = new Map<string, Promise<EventPage>>();
  readonly #permits = new Semaphore(MAX_READS);

  constructor(store: Pick<EventStore, 'read'>) {
    this.#store = store;
  }

  read(query: EventQuery): Promise<EventPage> {
    const key = JSON.stringify(query);
    const known = this.#wanted.get(key);
    if (known !== undefined) return known;
    const page = this.#permits
      .runExclusive(() => this.#store.read(query))
      .finally(() => this.#wanted.delete(key));
    this.#wanted.set(key, page);
    return page;
  }
}
