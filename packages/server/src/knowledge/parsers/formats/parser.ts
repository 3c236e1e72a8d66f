import { ExtractionError, formatNumber } from '../extraction-error.ts';
import type { DocumentProperties } from '../extractor.ts';
import type { AddBlock } from '../passages/block.ts';
import { readTitleText } from '../title.ts';

export type { DocumentProperties };

export const NO_PROPERTIES: DocumentProperties = { title: null, language: null };

/**
 * Parses one file format and passes the document's blocks to `add` in order. The parser may modify the bytes.
 * Throws an `ExtractionError` with a message for the document's owner. Any other error means that the file is damaged.
 */
export type Parser = (
  bytes: Uint8Array<ArrayBuffer>,
  add: AddBlock,
) => DocumentProperties | Promise<DocumentProperties>;

/** BCP 47 syntax. The tag need not be registered. */
const LANGUAGE = /^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,5}$/i;

/** Returns a title on one line, or null if it has no visible text. */
export function titleOf(text: string | null | undefined): string | null {
  return readTitleText(text ?? '');
}

/** Returns a language tag, or null if the text is not a language tag. Accepts the Windows form `de_DE`. */
export function languageOf(text: string | null | undefined): string | null {
  const language = (text ?? '').trim().replaceAll('_', '-');
  return LANGUAGE.test(language) ? language : null;
}

const NOT_UNICODE =
  'The text is not UTF-8. Save the file as UTF-8 (or as UTF-16 with a byte order mark).';

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, and removes the mark. Throws an `ExtractionError`.
 *
 * @param maxLength maximum characters. The limit is checked before memory is allocated. Default: no limit.
 */
export function decodeText(bytes: Uint8Array, maxLength = Number.POSITIVE_INFINITY): string {
  const encoding = encodingOf(bytes);
  if (bytes.length > maxLength && charactersOf(bytes, encoding) > maxLength) {
    const limit = formatNumber(maxLength);
    throw new ExtractionError(
      'too-large',
      `The document has more than ${limit} characters; split the document.`,
    );
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new ExtractionError('not-unicode', NOT_UNICODE);
  }
}

function charactersOf(bytes: Uint8Array, encoding: string): number {
  if (encoding !== 'utf-8') return bytes.length / 2;
  let characters = 0;
  // Counts all bytes except the continuation bytes of multi-byte characters.
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) characters++;
  return characters;
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8';
}
