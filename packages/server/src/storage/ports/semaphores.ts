/** Something at which only so many may be at once. */
export interface Semaphore {
  /** Any text; the same one always has the same `most`. */
  readonly key: string;
  /** How many; at least 1. */
  readonly most: number;
}

export type Acquisition =
  | {
      readonly taken: true;
      /** Gives the semaphores back, soon if not at once. Again, it does nothing. */
      readonly leave: () => void;
    }
  /** The first at which there was none left; none is taken. */
  | { readonly taken: false; readonly full: Semaphore };

/**
 * Who is at what now, over all replicas together. Semaphores of a replica that died are free within seconds; that
 * of one which is cut off from the store may be given to another while it goes on.
 */
export interface Semaphores {
  /** Takes a semaphore at each of these, or at none. Throws `StorageUnavailable` when it cannot be known whether there is one. */
  take(semaphores: readonly Semaphore[]): Promise<Acquisition>;
}
