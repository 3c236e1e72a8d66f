import { isUtf8 } from 'node:buffer';
import { FORMATS, type Format, type KnownMimeType } from '../parsers/extractor.ts';

export interface NamedBytes {
  readonly fileName: string;
  /** The file's `Content-Type`, used if the extension of its name is unknown. */
  readonly contentType?: string | null | undefined;
  readonly bytes: Uint8Array;
}

export type FormatAnswer =
  | { readonly ok: true; readonly mimeType: KnownMimeType }
  | {
      readonly ok: false;
      /** The format is unknown; otherwise the bytes do not match it. */
      readonly unknown: boolean;
      readonly reason: string;
    };

const PDF = 'application/pdf';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** PDF viewers accept other bytes before the mark up to this offset. */
const PDF_MARK_WITHIN = 1024;

/**
 * Detects the format of a file by its extension, else by its content type. The bytes must match. Systems disagree
 * about content types (CSV may be `application/vnd.ms-excel`), so a known extension takes precedence.
 */
export function formatOf({ fileName, contentType, bytes }: NamedBytes): FormatAnswer {
  const extension = extensionOf(fileName);
  const named = FORMATS.find((format) => includes(format.extensions, extension));
  const format = named ?? FORMATS.find(({ mimeType }) => mimeType === essenceOf(contentType));
  if (format === undefined) return { ok: false, unknown: true, reason: unknownReason(extension) };
  if (bytes.length === 0) return wrong('the file is empty');
  const signature = signatureOf(bytes);
  if (agrees(format, bytes, signature)) return { ok: true, mimeType: format.mimeType };
  const claim = named === undefined ? `is sent as ${format.mimeType}` : `ends in ${extension}`;
  return wrong(`the file ${claim}, but ${describeMismatch(format, signature)}`);
}

/** Returns the lower-case extension with its dot, `.pdf`, or '' if there is none. */
function extensionOf(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot <= 0 ? '' : fileName.slice(dot).toLowerCase();
}

function essenceOf(contentType: string | null | undefined): string {
  return (contentType ?? '').split(';', 1).join().trim().toLowerCase();
}

function includes(extensions: readonly string[], extension: string): boolean {
  return extensions.includes(extension);
}

function unknownReason(extension: string): string {
  const known = FORMATS.map(({ name, extensions }) => `${name} (${extensions.join(', ')})`);
  const what = extension === '' ? 'A file without an extension' : 'This format';
  return `${what} cannot be read; known are ${known.join(', ')}.`;
}

function wrong(reason: string): FormatAnswer {
  return { ok: false, unknown: false, reason };
}

type Signature = 'a PDF' | 'a ZIP archive' | 'an old Office file' | 'text' | 'binary' | 'not UTF-8';

/** Detects the kind of content from the bytes alone. */
function signatureOf(bytes: Uint8Array): Signature {
  if (startsWith(bytes, 0x25, 0x50, 0x44, 0x46, 0x2d)) return 'a PDF';
  if (startsWith(bytes, 0x50, 0x4b, 0x03, 0x04)) return 'a ZIP archive';
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) return 'an old Office file';
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)) return 'text';
  if (bytes.includes(0)) return 'binary';
  return isUtf8(bytes) ? 'text' : 'not UTF-8';
}

function startsWith(bytes: Uint8Array, ...mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

function agrees({ mimeType }: Format, bytes: Uint8Array, signature: Signature): boolean {
  if (mimeType === PDF) return startOf(bytes).includes('%PDF-');
  // A Word file with a password is wrapped in an old Office file, which the parser reports.
  if (mimeType === DOCX) return signature === 'a ZIP archive' || signature === 'an old Office file';
  return signature === 'text';
}

function startOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PDF_MARK_WITHIN));
}

function describeMismatch({ mimeType, name }: Format, signature: Signature): string {
  const isText = mimeType !== PDF && mimeType !== DOCX;
  if (isText && signature === 'not UTF-8') {
    return 'its text is not UTF-8; save it as UTF-8 (or as UTF-16 with a byte order mark)';
  }
  const what = signature === 'binary' || signature === 'not UTF-8' ? 'binary data' : signature;
  return `its bytes are ${what}, not ${isText ? 'text' : name}; rename or convert it`;
}
