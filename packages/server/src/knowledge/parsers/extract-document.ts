import { ExtractionError, failure } from './extraction-error.ts';
import type { ExtractionFailure, KnownMimeType, ParsedDocument } from './extractor.ts';
import type { Parser } from './formats/parser.ts';
import { PassageBuilder } from './passages/passage-builder.ts';

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
const TOO_DEEP = 'The document is nested too deeply.';
const TOO_MUCH_MEMORY = 'Extracting the text would take too much memory; split the document.';
const DAMAGED = 'The file is damaged, incomplete or not in the format of its name.';

/**
 * Parses a document in the current process, without time and memory limits. Invalid bytes resolve to a failure.
 *
 * @example
 * const extraction = await extractDocument(bytes, 'text/markdown');
 * if (extraction.ok) console.log(extraction.passages.length);
 */
export async function extractDocument(
  bytes: Uint8Array<ArrayBuffer>,
  mimeType: KnownMimeType,
): Promise<ParsedDocument> {
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

function failureOf(error: unknown): ExtractionFailure {
  if (error instanceof ExtractionError) return failure(error.code, error.message);
  if (error instanceof RangeError && /call stack/.test(error.message))
    return failure('too-complex', TOO_DEEP);
  if (error instanceof RangeError && /allocation failed|string length/.test(error.message))
    return failure('too-complex', TOO_MUCH_MEMORY);
  return failure('corrupt', DAMAGED);
}
