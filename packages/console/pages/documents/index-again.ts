import type { Document } from '@gatehouse/client';
import { client } from '../../app/client.ts';
import { failedAgain, outcomeOf } from '../../app/refresh.ts';
import { shortened } from '../../components/shortened.ts';

/**
 * Indexes a document again. Throws if it fails within 15 seconds.
 *
 * @param onChanged is called when the document is being indexed, and when it no longer is.
 */
export async function indexAgain(
  { id, spaceId, title }: Document,
  onChanged: () => void,
): Promise<void> {
  await client.documents.retry(id, { spaceId, force: true });
  onChanged();
  const outcome = await outcomeOf(
    () => client.documents.get(id, { spaceId }),
    ({ state }) => state !== 'processing',
  );
  onChanged();
  if (outcome?.state === 'failed') throw failedAgain(shortened(title), new Date(), outcome.failure);
}
