import type { FilterRecord } from '../src/evaluate/record.ts';
import type { JsonObject } from '../src/language/json.ts';

export function recordWith(
  metadata: JsonObject,
  overrides: Partial<Omit<FilterRecord, 'metadata'>> = {},
): FilterRecord {
  return {
    fileName: 'Travel Policy.pdf',
    mimeType: 'application/pdf',
    language: 'en',
    createdAt: '2026-01-31T08:00:00.000Z',
    updatedAt: '2026-02-01T08:00:00.000Z',
    ...overrides,
    metadata,
  };
}
