export interface Batch {
  /** The body of a request of `ingestRequests`. The buffer is reused after the acknowledgement. */
  readonly body: Buffer;
  readonly events: readonly Buffer[];
}

export interface Publisher {
  /** Opens a publisher of one batch at a time. It resolves when the broker has acknowledged all events. */
  open(): Promise<(batch: Batch) => Promise<void>>;
  close(): Promise<void>;
}

const START = '{"events":[';
const END = ']}';

/** Splits the body of a request of `ingestRequests` into events. They have the same length. */
export function batchOf(body: Buffer, events: number): Batch {
  const length = (body.length - START.length - END.length - (events - 1)) / events;
  return {
    body,
    events: Array.from({ length: events }, (_, index) => {
      const start = START.length + index * (length + 1);
      return body.subarray(start, start + length);
    }),
  };
}
