import type { FilterRecord } from '../src/evaluate/evaluate.ts';
import type { JsonObject } from '../src/language/json.ts';

/** A record for examples in tests, with the given metadata. */
export function recordWith(
  metadata: JsonObject,
  changed: Partial<Omit<FilterRecord, 'metadata'>> = {},
): FilterRecord {
  return {
    fileName: 'Travel Policy.pdf',
    mimeType: 'application/pdf',
    language: 'en',
    createdAt: '2026-01-31T08:00:00.000Z',
    updatedAt: '2026-02-01T08:00:00.000Z',
    ...changed,
    metadata,
  };
}
