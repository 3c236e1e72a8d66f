import { type StoredTexts, toBytes, toStoredElsewhere } from '../../event-log/stored-texts.ts';
import type { EventBatch } from '../../ports/event-store.ts';

const IDENTITY_BYTES = 16;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What a request takes besides its events. */
const OVERHEAD_BYTES = 200;

/** A batch as its row holds it. */
export interface PackedBatch extends Pick<EventBatch, 'spaceId' | 'receivedAt' | 'feedsKnowledge'> {
  readonly count: number;
  readonly identities: Uint8Array;
  readonly ends: Uint8Array;
  readonly texts: StoredTexts;
}

/** About the memory that batches take while they wait. */
export function sizeOf(batches: readonly EventBatch[]): number {
  return batches.reduce(
    (sum, { texts, ends, identities }) =>
      sum + texts.byteLength + ends.byteLength + identities.length,
    OVERHEAD_BYTES,
  );
}

/** Throws `TypeError` for a batch that no row could hold: it would fail the others of its statement, too. */
export function checkBatch({ spaceId, receivedAt, texts, ends, identities }: EventBatch): void {
  if (!UUID.test(spaceId)) throw new TypeError('a space has a UUID');
  if (!Number.isSafeInteger(receivedAt)) throw new TypeError('a batch has no time of receipt');
  if (identities.length !== ends.length * IDENTITY_BYTES || (ends.at(-1) ?? 0) !== texts.byteLength)
    throw new TypeError('a batch does not fit together');
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
    texts: await toStoredElsewhere(batch.texts),
  };
}
