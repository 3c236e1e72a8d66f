/** Something at which only so many may be at once. */
export interface Place {
  /** Any text; the same one always has the same `most`. */
  readonly key: string;
  /** How many; at least 1. */
  readonly most: number;
}

export type Taking =
  | {
      readonly taken: true;
      /** Gives the places back, soon if not at once. Again, it does nothing. */
      readonly leave: () => void;
    }
  /** The first at which there was none left; none is taken. */
  | { readonly taken: false; readonly full: Place };

/**
 * Who is at what now, over all replicas together. Places of a replica that died are free within seconds; that
 * of one which is cut off from the store may be given to another while it goes on.
 */
export interface Places {
  /** Takes a place at each of these, or at none. Throws `StorageUnavailable` when it cannot be known whether there is one. */
  take(places: readonly Place[]): Promise<Taking>;
}
