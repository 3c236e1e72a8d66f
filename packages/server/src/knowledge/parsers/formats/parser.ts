import { ExtractionError } from '../extraction-error.ts';
import type { AddBlock } from '../passages/block.ts';
import { normaliseLine } from '../passages/normalise.ts';

/** Title and language that a document declares. */
export interface DocumentProperties {
  readonly title: string | null;
  readonly language: string | null;
}

export const NO_PROPERTIES: DocumentProperties = { title: null, language: null };

/**
 * Parses one file format and passes the document's blocks to `add` in order. The parser owns the bytes.
 * Throws an `ExtractionError` with a message for the document's owner; any other error means that the file is damaged.
 */
export type Parser = (
  bytes: Uint8Array<ArrayBuffer>,
  add: AddBlock,
) => DocumentProperties | Promise<DocumentProperties>;

const MAX_TITLE_LENGTH = 300;
/** The form of BCP 47, not its registry. */
const LANGUAGE = /^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,5}$/i;

/** Returns a title on one line, or null if nothing of it is visible. */
export function titleOf(text: string | null | undefined): string | null {
  const title = normaliseLine(text ?? '')
    .slice(0, MAX_TITLE_LENGTH)
    .toWellFormed();
  return title === '' ? null : title;
}

/** Returns a language tag, or null if the text is none. Windows writes `de_DE`. */
export function languageOf(text: string | null | undefined): string | null {
  const language = (text ?? '').trim().replaceAll('_', '-');
  return LANGUAGE.test(language) ? language : null;
}

const NOT_UNICODE =
  'The text is not UTF-8. Save the file as UTF-8 (or as UTF-16 with a byte order mark).';

/** Decodes UTF-8, or UTF-16 with a byte order mark, and drops the mark. Throws an `ExtractionError`. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new ExtractionError('not-unicode', NOT_UNICODE);
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8';
}
