import type { ValidEvent } from './read-event.rules.ts';

export interface PackedEvents {
  /** The events' texts, one behind the other, in a buffer of their own, so that it can be transferred. */
  readonly texts: Uint8Array<ArrayBuffer>;
  /** Where each text ends; the next begins there. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

/**
 * The texts of accepted events as they are stored: byte for byte as sent, without `auth`.
 *
 * @param bytes the body that the events were read from.
 */
export function packEvents(bytes: Uint8Array, accepted: readonly ValidEvent[]): PackedEvents {
  const ends = new Uint32Array(accepted.length);
  let length = 0;
  for (let index = 0; index < accepted.length; index++) {
    const event = accepted[index] as ValidEvent;
    length += event.cutStart - event.start + (event.end - event.cutEnd);
    ends[index] = length;
  }
  const texts = new Uint8Array(length);
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
