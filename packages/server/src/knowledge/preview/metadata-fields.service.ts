import type { MetadataFields } from '@gatehouse/contract';
import { readLimit, readPositionCursor, toPage } from '../../http/index.ts';
import type { SpaceAccess } from '../../identity/index.ts';
import { toMetadata } from '../documents/document.rules.ts';
import type { Documents } from '../documents/document.service.ts';
import { scopeOfSpace } from '../search/scope.ts';
import { MetadataFieldCounts } from './metadata-fields.rules.ts';
import type { PreviewRepository } from './preview.repository.ts';

const MAX_DOCUMENTS = 2000;
/** Maximum length of the inspected metadata as JSON, in UTF-16 code units. */
const MAX_LENGTH = 8 * 1024 * 1024;
/** Documents per query. The event loop handles other requests between the queries. */
const BATCH = 50;

export interface MetadataFieldsDeps {
  readonly documents: Pick<Documents, 'count'>;
  readonly repository: Pick<PreviewRepository, 'newestMetadata'>;
}

/** Counts the metadata fields of the newest documents of a space. */
export type ListMetadataFields = (
  space: SpaceAccess,
  request: { readonly limit?: number; readonly after?: string },
) => Promise<MetadataFields>;

export function createMetadataFields({
  documents,
  repository,
}: MetadataFieldsDeps): ListMetadataFields {
  return async (space, { limit, after }) => {
    const count = readLimit(limit);
    const first = (readPositionCursor(after) ?? -1) + 1;
    const scope = scopeOfSpace(space);
    const totalDocuments = await documents.count(scope);
    const counts = new MetadataFieldCounts();
    let inspectedDocuments = 0;
    let length = 0;
    let before: string | null = null;
    while (inspectedDocuments < MAX_DOCUMENTS && length < MAX_LENGTH) {
      const batch = await repository.newestMetadata(scope, before, BATCH);
      for (const { metadata } of batch) {
        counts.add(toMetadata(metadata));
        length += metadata.length;
      }
      inspectedDocuments += batch.length;
      before = batch.at(-1)?.id ?? null;
      if (batch.length < BATCH) break;
    }
    const rows = counts
      .fields()
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
