/** What one process counted of a space in one minute. */
export interface CountsOfMinute {
  readonly spaceId: string;
  /** Whole minutes since 1970. */
  readonly minute: number;
  /** Who counted: no other process, nor a later run of the same one, has this name. */
  readonly counter: string;
  /** Any text. */
  readonly counts: string;
}

/** What replicas counted of the events of spaces, for each other to read. */
export interface EventCounts {
  /** Since when it is counted, Unix milliseconds. */
  readonly since: number;
  /** Puts these in the place of what the same counter said of the same space and minute. */
  put(counts: readonly CountsOfMinute[]): Promise<void>;
  /** Of a space from a minute on, in no order, without those of one counter. What is older than an hour may be gone. */
  others(
    spaceId: string,
    from: number,
    counter: string,
  ): Promise<readonly Pick<CountsOfMinute, 'minute' | 'counts'>[]>;
  /** Says how many listen here to the events of these spaces; it holds until it is said again, or this process ends. */
  putListeners(listeners: ReadonlyMap<string, number>): Promise<void>;
  /** How many listen to a space elsewhere. */
  listenersElsewhere(spaceId: string): Promise<number>;
}
