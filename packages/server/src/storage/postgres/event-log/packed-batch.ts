import { type StoredTexts, toBytes, toStoredAsync } from '../../event-log/stored-texts.ts';
import type { EventBatch } from '../../ports/event-store.ts';

const IDENTITY_BYTES = 16;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Approximate memory of a request in bytes, in addition to its events. */
const OVERHEAD_BYTES = 200;

export interface PackedBatch extends Pick<EventBatch, 'spaceId' | 'receivedAt' | 'feedsKnowledge'> {
  readonly count: number;
  readonly identities: Uint8Array;
  readonly ends: Uint8Array;
  readonly texts: StoredTexts;
}

/** Returns the approximate memory of waiting batches in bytes. */
export function sizeOf(batches: readonly EventBatch[]): number {
  return batches.reduce(
    (sum, { texts, ends, identities }) =>
      sum + texts.byteLength + ends.byteLength + identities.length,
    OVERHEAD_BYTES,
  );
}

/** Throws `TypeError` for a malformed batch. In a statement, such a batch would make all other batches fail. */
export function checkBatch({ spaceId, receivedAt, texts, ends, identities }: EventBatch): void {
  if (!UUID.test(spaceId)) throw new TypeError('the space ID of a batch must be a UUID');
  if (!Number.isSafeInteger(receivedAt))
    throw new TypeError('the receivedAt time of a batch must be an integer');
  if (identities.length !== ends.length * IDENTITY_BYTES || (ends.at(-1) ?? 0) !== texts.byteLength)
    throw new TypeError('the identities, ends and texts of a batch do not match');
}

export async function packBatch(batch: EventBatch): Promise<PackedBatch> {
  const { spaceId, receivedAt, feedsKnowledge = false, ends } = batch;
  return {
    spaceId,
    receivedAt,
    feedsKnowledge,
    count: ends.length,
    identities: Buffer.from(batch.identities, 'latin1'),
    ends: toBytes(ends),
    texts: await toStoredAsync(batch.texts),
  };
}
