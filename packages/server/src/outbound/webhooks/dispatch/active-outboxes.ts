import type { Outbox } from './outbox.ts';

/** The outboxes that are open, by subscription, and by space for whoever is told of a space. */
export class ActiveOutboxes {
  readonly #byId = new Map<string, Outbox>();
  readonly #bySpace = new Map<string, Map<string, Outbox>>();

  get(subscriptionId: string): Outbox | undefined {
    return this.#byId.get(subscriptionId);
  }

  all(): Iterable<Outbox> {
    return this.#byId.values();
  }

  inSpace(spaceId: string): Iterable<Outbox> {
    return this.#bySpace.get(spaceId)?.values() ?? [];
  }

  add(outbox: Outbox): void {
    const { spaceId, subscriptionId } = outbox.key;
    this.#byId.set(subscriptionId, outbox);
    const beside = this.#bySpace.get(spaceId);
    if (beside === undefined) this.#bySpace.set(spaceId, new Map([[subscriptionId, outbox]]));
    else beside.set(subscriptionId, outbox);
  }

  /** Gives the one that was active. */
  take(subscriptionId: string): Outbox | undefined {
    const outbox = this.#byId.get(subscriptionId);
    if (outbox === undefined) return undefined;
    const { spaceId } = outbox.key;
    this.#byId.delete(subscriptionId);
    this.#bySpace.get(spaceId)?.delete(subscriptionId);
    if (this.#bySpace.get(spaceId)?.size === 0) this.#bySpace.delete(spaceId);
    return outbox;
  }
}
