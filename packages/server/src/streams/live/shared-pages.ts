import type { EventPage, EventQuery, EventStore } from '../../storage/ports/index.ts';

/** Pages of one space that are read at once: whoever reads its feed otherwise waits behind no more than these. */
const AT_ONCE = 4;

/**
 * Pages of a space's feed for listeners that resume. After a restart thousands do so from the same place: those
 * who want the same page at the same time share it.
 */
export class SharedPages {
  readonly #store: Pick<EventStore, 'read'>;
  readonly #wanted = new Map<string, Promise<EventPage>>();
  readonly #waiting: (() => void)[] = [];
  #reading = 0;

  constructor(store: Pick<EventStore, 'read'>) {
    this.#store = store;
  }

  read(query: EventQuery): Promise<EventPage> {
    const key = JSON.stringify(query);
    const known = this.#wanted.get(key);
    if (known !== undefined) return known;
    const page = this.#readInTurn(query).finally(() => this.#wanted.delete(key));
    this.#wanted.set(key, page);
    return page;
  }

  async #readInTurn(query: EventQuery): Promise<EventPage> {
    if (this.#reading >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#reading += 1;
    try {
      return await this.#store.read(query);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#reading -= 1;
      else next();
    }
  }
}
