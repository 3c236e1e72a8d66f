import type { EventBatch } from '../../ports/event-store.ts';
import { KEY_BYTES } from './identity-key.ts';

/** What of a batch is kept. */
export interface KeptBatch {
  readonly identities: Uint8Array;
  readonly ends: Uint32Array;
  readonly texts: Uint8Array;
}

/**
 * The events at these places of the batch, packed anew; without a copy when they are all of it.
 * `identities` are those of the whole batch, side by side.
 */
export function keepEvents(
  batch: EventBatch,
  identities: Uint8Array,
  places: readonly number[],
): KeptBatch {
  const { ends, texts } = batch;
  if (places.length === ends.length) return { identities, ends, texts };
  const kept = places.map((place) =>
    texts.subarray(place === 0 ? 0 : ends[place - 1], ends[place]),
  );
  let end = 0;
  return {
    identities: Buffer.concat(
      places.map((place) => identities.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES)),
    ),
    ends: Uint32Array.from(kept, (text) => {
      end += text.byteLength;
      return end;
    }),
    texts: Buffer.concat(kept),
  };
}
