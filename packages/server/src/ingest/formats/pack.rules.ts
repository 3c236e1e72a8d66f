import type { ValidEvent } from './read-event.rules.ts';

export interface PackedEvents {
  /** The concatenated texts in a separate, transferable buffer. */
  readonly texts: Uint8Array<ArrayBuffer>;
  /** End offset of each text. The next text starts there. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

/**
 * Copies the texts of accepted events for storage. Omits the `auth` members and copies all other bytes unchanged.
 *
 * @param bytes the body to which the events' offsets refer.
 */
export function packEvents(bytes: Uint8Array, accepted: readonly ValidEvent[]): PackedEvents {
  const ends = new Uint32Array(accepted.length);
  let length = 0;
  for (let index = 0; index < accepted.length; index++) {
    const event = accepted[index] as ValidEvent;
    length += event.cutStart - event.start + (event.end - event.cutEnd);
    ends[index] = length;
  }
  // Not initialised, because the loop overwrites all bytes.
  const texts = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
  let at = 0;
  for (const { start, cutStart, cutEnd, end } of accepted) {
    texts.set(bytes.subarray(start, cutStart), at);
    at += cutStart - start;
    if (cutEnd < end) {
      texts.set(bytes.subarray(cutEnd, end), at);
      at += end - cutEnd;
    }
  }
  return { texts, ends };
}
