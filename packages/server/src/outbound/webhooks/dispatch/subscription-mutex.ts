import type { SubscriptionKey } from '../deliveries/delivery.repository.ts';

/** Changes of what is active, one after the other for each subscription. */
export class SubscriptionMutex {
  /** The last change of each that has one under way. */
  readonly #last = new Map<string, { readonly spaceId: string; readonly change: Promise<void> }>();

  /** Does it when what is under way of the subscription has ended, however it ended. */
  runExclusive(key: SubscriptionKey, work: () => Promise<void>): Promise<void> {
    const { spaceId, subscriptionId: id } = key;
    const before = this.#last.get(id)?.change ?? Promise.resolve();
    const change = before
      .catch(() => {})
      .then(work)
      .finally(() => {
        if (this.#last.get(id)?.change === change) this.#last.delete(id);
      });
    this.#last.set(id, { spaceId, change });
    return change;
  }

  has(subscriptionId: string): boolean {
    return this.#last.has(subscriptionId);
  }

  inSpace(spaceId: string): SubscriptionKey[] {
    return [...this.#last]
      .filter(([, one]) => one.spaceId === spaceId)
      .map(([subscriptionId]) => ({ spaceId, subscriptionId }));
  }

  /** Resolves when those that are under way now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#last.values()].map(({ change }) => change));
  }
}
