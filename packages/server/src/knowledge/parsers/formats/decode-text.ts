import { Refusal } from '../refusal.ts';

const NOT_UNICODE =
  'The text is not UTF-8. Save the file as UTF-8 (or as UTF-16 with a byte order mark).';

/** The text of UTF-8, or of UTF-16 with a byte order mark; the mark is dropped. Throws a `Refusal`. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('not-unicode', NOT_UNICODE);
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8';
}
