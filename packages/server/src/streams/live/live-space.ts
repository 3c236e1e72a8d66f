import { Semaphore } from 'async-mutex';
import type { EventPage, EventQuery, EventStore } from '../../storage/ports/index.ts';
import type { Listener } from './listener.ts';
import { toChunk } from './live-text.rules.ts';
import { Tail } from './tail.ts';

export interface LiveSpaceOptions {
  readonly store: EventStore;
  readonly spaceId: string;
  readonly position: number;
  readonly onFailure: (error: unknown) => void;
}

const EVENTS_PER_PAGE = 200;
/** Maximum concurrent reads per space. Other reads of the feed wait for at most this many reads. */
const MAX_READS = 4;

/**
 * The listeners of one space. Each listener is in one of two states:
 *
 *   behind ──has read up to the tail's position──▶ live: the tail sends new events
 *
 * In the state `behind`, a listener reads its own pages at the pace of its client. A listener never returns from `live` to
 * `behind`: if it cannot follow the tail, it is disconnected. When the client reconnects, a new listener starts in `behind`.
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

  add(listener: Listener): void {
    this.listeners.add(listener);
    this.#catchUp(listener).catch((error) => {
      this.#options.onFailure(error);
      // The client reconnects and resumes.
      listener.destroy();
    });
  }

  remove(listener: Listener): void {
    this.listeners.delete(listener);
    this.#tail.leave(listener);
  }

  wake(): void {
    this.#tail.wake();
  }

  /** Detects appends whose notification was lost. */
  async checkForAppends(): Promise<void> {
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
      else await this.#readNextPage(listener);
    }
  }

  async #readNextPage(listener: Listener): Promise<void> {
    const { spaceId } = this.#options;
    const { eventFilter, position: after } = listener;
    const page = await this.#pages.read({ ...eventFilter, spaceId, after, limit: EVENTS_PER_PAGE });
    // The tail sends the events after its own position.
    const through = Math.min(page.through, this.#tail.position);
    const events = page.events.filter(({ position }) => position <= through);
    listener.give(toChunk(events), through);
    await listener.room();
  }
}

/**
 * Reads pages for resuming listeners and shares concurrent reads of the same page, because thousands of listeners may
 * resume at the same position after a restart.
 */
class SharedPages {
  readonly #store: Pick<EventStore, 'read'>;
  readonly #pending = new Map<string, Promise<EventPage>>();
  readonly #permits = new Semaphore(MAX_READS);

  constructor(store: Pick<EventStore, 'read'>) {
    this.#store = store;
  }

  read(query: EventQuery): Promise<EventPage> {
    const key = JSON.stringify(query);
    const known = this.#pending.get(key);
    if (known !== undefined) return known;
    const page = this.#permits
      .runExclusive(() => this.#store.read(query))
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, page);
    return page;
  }
}
