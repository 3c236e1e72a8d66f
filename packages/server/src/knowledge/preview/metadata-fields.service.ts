import type { MetadataField, MetadataFields } from '@gatehouse/contract';
import { type ListRequest, readLimit, readPositionCursor, toPage } from '../../http/index.ts';
import { forbidden, roleOnSpace, type SpaceAccess } from '../../identity/index.ts';
import { SharedReads } from '../../lib/caching/index.ts';
import { ThreadScheduler } from '../../lib/scheduling/index.ts';
import { toMetadata } from '../documents/document.rules.ts';
import { MetadataFieldCounts } from './metadata-fields.rules.ts';
import type { PreviewRepository } from './preview.repository.ts';

const MAX_DOCUMENTS = 2000;
/** Maximum length of the inspected metadata as JSON, in UTF-16 code units. */
const MAX_LENGTH = 4 * 1024 * 1024;
/** Documents per query. */
const BATCH = 50;

export interface MetadataFieldsDeps {
  readonly repository: Pick<PreviewRepository, 'newestMetadata' | 'count'>;
}

/** Counts the metadata fields of the newest documents of a space. */
export type ListMetadataFields = (
  space: SpaceAccess,
  request: ListRequest,
) => Promise<MetadataFields>;

interface Inspected {
  readonly fields: readonly MetadataField[];
  readonly inspectedDocuments: number;
  readonly totalDocuments: number;
}

export function createMetadataFields({ repository }: MetadataFieldsDeps): ListMetadataFields {
  const scheduler = new ThreadScheduler();
  // The documents of a space are read once at a time, however many people ask.
  const reads = new SharedReads<Inspected>();

  async function inspect(space: SpaceAccess): Promise<Inspected> {
    const totalDocuments = await repository.count(space);
    const counts = new MetadataFieldCounts();
    let inspectedDocuments = 0;
    let length = 0;
    let before: string | null = null;
    while (inspectedDocuments < MAX_DOCUMENTS && length < MAX_LENGTH) {
      const batch = await repository.newestMetadata(space, before, BATCH);
      for (const { metadata } of batch) {
        await scheduler.run(space.spaceId, () => counts.add(toMetadata(metadata)));
        length += metadata.length;
      }
      inspectedDocuments += batch.length;
      before = batch.at(-1)?.id ?? null;
      if (batch.length < BATCH) break;
    }
    return { fields: counts.fields(), inspectedDocuments, totalDocuments };
  }

  return async (space, { limit, after }) => {
    const count = readLimit(limit);
    const first = (readPositionCursor(after) ?? -1) + 1;
    const inspected = await reads.get(space.spaceId, () => inspect(space));
    if (inspected === null) throw forbidden(roleOnSpace('editor'));
    const { fields, inspectedDocuments, totalDocuments } = inspected;
    const rows = fields
      .slice(first, first + count + 1)
      .map((field, index) => ({ field, position: first + index }));
    const page = toPage(
      rows,
      count,
      ({ position }) => String(position),
      ({ field }) => field,
    );
    return { ...page, inspectedDocuments, totalDocuments };
  };
}
