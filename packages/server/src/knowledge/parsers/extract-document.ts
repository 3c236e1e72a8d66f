import { ExtractionError, failure } from './extraction-error.ts';
import type { Extraction, KnownMimeType } from './extractor.ts';
import type { Parser } from './formats/parser.ts';
import { PassageBuilder } from './passages/passage-builder.ts';

/** Each parser and its library are loaded with the first document of the format. */
const PARSERS: Readonly<Record<KnownMimeType, () => Promise<{ readonly parse: Parser }>>> = {
  'text/plain': () => import('./formats/plain-text.ts'),
  'text/markdown': () => import('./formats/markdown.ts'),
  'text/html': () => import('./formats/html.ts'),
  'text/csv': () => import('./formats/csv.ts'),
  'application/json': () => import('./formats/json.ts'),
  'application/pdf': () => import('./formats/pdf.ts'),
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': () =>
    import('./formats/docx.ts'),
};

const EMPTY = 'The document has no text. If it is a scan, run text recognition (OCR) on it first.';
const DEEP = 'The document is nested too deeply to be read.';
const VAST = 'Reading the document would take more memory than one document may take.';
const DAMAGED = 'The file is damaged, incomplete or not of the format that its name says.';

/** Parses a document in this thread, without limits of time and memory. Never rejects because of the bytes. */
export async function extractDocument(
  bytes: Uint8Array<ArrayBuffer>,
  mimeType: KnownMimeType,
): Promise<Extraction> {
  const { parse } = await PARSERS[mimeType]();
  try {
    const builder = new PassageBuilder();
    const properties = await parse(bytes, builder.add);
    const passages = builder.finish();
    return passages.length === 0 ? failure('empty', EMPTY) : { ok: true, passages, ...properties };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Extraction {
  if (error instanceof ExtractionError) return failure(error.code, error.message);
  if (error instanceof RangeError && /call stack/.test(error.message))
    return failure('too-complex', DEEP);
  if (error instanceof RangeError && /allocation failed|string length/.test(error.message))
    return failure('too-complex', VAST);
  return failure('corrupt', DAMAGED);
}
