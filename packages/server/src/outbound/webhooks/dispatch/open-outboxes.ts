import type { Outbox } from './outbox.ts';

export class OpenOutboxes implements Iterable<Outbox> {
  readonly #byId = new Map<string, Outbox>();
  readonly #bySpace = new Map<string, Set<Outbox>>();

  [Symbol.iterator](): Iterator<Outbox> {
    return this.#byId.values();
  }

  get(subscriptionId: string): Outbox | undefined {
    return this.#byId.get(subscriptionId);
  }

  inSpace(spaceId: string): Iterable<Outbox> {
    return this.#bySpace.get(spaceId) ?? [];
  }

  add(outbox: Outbox): void {
    const { spaceId, subscriptionId } = outbox.key;
    this.#byId.set(subscriptionId, outbox);
    const siblings = this.#bySpace.get(spaceId);
    if (siblings === undefined) this.#bySpace.set(spaceId, new Set([outbox]));
    else siblings.add(outbox);
  }

  remove(subscriptionId: string): Outbox | undefined {
    const outbox = this.#byId.get(subscriptionId);
    if (outbox === undefined) return undefined;
    const { spaceId } = outbox.key;
    this.#byId.delete(subscriptionId);
    this.#bySpace.get(spaceId)?.delete(outbox);
    if (this.#bySpace.get(spaceId)?.size === 0) this.#bySpace.delete(spaceId);
    return outbox;
  }
}
