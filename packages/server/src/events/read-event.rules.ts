/** The credential that a body carries; it is never stored, logged or sent on. */
export interface EventAuth {
  readonly apiKey?: string;
  readonly signature?: string;
  readonly timestamp?: string;
}

declare const checked: unique symbol;

interface EventInBatch {
  /** Position in the request. */
  readonly index: number;
  /** The event's own credential; null when it has none, or a malformed one. */
  readonly auth: EventAuth | null;
  /** Every problem, each beginning with the member it is about (`time: must be …`). */
  readonly problems: readonly string[];
}

/**
 * An event that meets the rules of its door; only the reader of a batch makes one. Its text
 * is in the batch's bytes: from `start` to `end`, without what lies from `cutStart` to `cutEnd`,
 * which is its `auth` member with one neighbouring comma (nothing when both are `end`).
 */
export interface ValidEvent extends EventInBatch {
  readonly [checked]: true;
  readonly valid: true;
  readonly id: string;
  readonly source: string;
  readonly start: number;
  readonly end: number;
  readonly cutStart: number;
  readonly cutEnd: number;
}

export interface InvalidEvent extends EventInBatch {
  readonly valid: false;
}

export type ReadEvent = ValidEvent | InvalidEvent;

export interface IngestBatch {
  /** What the events' offsets are about; it must stay as it is until they are packed. */
  readonly bytes: Uint8Array;
  /** `auth` beside `events`. */
  readonly auth: EventAuth | null;
  /** One for each element of `events`, in request order. */
  readonly events: readonly ReadEvent[];
}
