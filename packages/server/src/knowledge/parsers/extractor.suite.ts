import type {
  ExtractionSource,
  Extractor,
  KnownMimeType,
  ParsedDocument,
  Passage,
} from './extractor.ts';

export type SentBytes = Partial<ExtractionSource> & {
  readonly bytes: Uint8Array;
  readonly mimeType: KnownMimeType;
};

const PART_BYTES = 1024 * 1024;

/** Extracts a document and collects its passages. */
export async function extractAll(
  extractor: Extractor,
  { bytes, ...source }: SentBytes,
): Promise<ParsedDocument> {
  let passages: Passage[] = [];
  const extraction = await extractor.extract(
    {
      spaceId: 'space',
      size: bytes.length,
      async *read() {
        for (let at = 0; at < bytes.length; at += PART_BYTES)
          yield bytes.subarray(at, at + PART_BYTES);
      },
      ...source,
    },
    {
      async begin() {
        passages = [];
      },
      async add(batch) {
        passages.push(...batch);
      },
    },
  );
  return extraction.ok ? { ...extraction, passages } : extraction;
}
