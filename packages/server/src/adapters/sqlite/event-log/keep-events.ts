import type { EventBatch } from '../../../ports/event-store.ts';
import { KEY_BYTES } from './identity-key.ts';

/** What of a batch is kept. */
export interface KeptBatch {
  readonly count: number;
  readonly identities: string;
  readonly ends: Uint32Array;
  readonly texts: Uint8Array;
}

/** The events at these places of the batch, packed anew; without a copy when they are all of it. */
export function keepEvents(batch: EventBatch, places: readonly number[]): KeptBatch {
  if (places.length === batch.ends.length) return { count: places.length, ...batch };
  const parts = places.map((place) =>
    batch.texts.subarray(place === 0 ? 0 : batch.ends[place - 1], batch.ends[place]),
  );
  const ends = new Uint32Array(parts.length);
  let end = 0;
  parts.forEach((part, index) => {
    end += part.byteLength;
    ends[index] = end;
  });
  const identities = places
    .map((place) => batch.identities.slice(place * KEY_BYTES, (place + 1) * KEY_BYTES))
    .join('');
  return { count: places.length, identities, ends, texts: Buffer.concat(parts) };
}
