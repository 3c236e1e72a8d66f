import { FORMATS, type Format, type KnownMimeType } from '../parsers/extractor.ts';
import type { FileTraits } from '../uploads/file-traits.ts';

export interface NamedFile {
  readonly fileName: string;
  /** The file's `Content-Type`, used if the extension of its name is unknown. */
  readonly contentType?: string | null | undefined;
  readonly traits: FileTraits;
}

export type FormatAnswer =
  | { readonly ok: true; readonly mimeType: KnownMimeType }
  | {
      readonly ok: false;
      /** `true`: the format is unknown. `false`: the bytes do not match the format. */
      readonly unknown: boolean;
      readonly reason: string;
    };

const PDF = 'application/pdf';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/**
 * Detects the format of a file and checks that its bytes match. A known extension takes precedence over the content type,
 * because systems disagree about content types (CSV may be `application/vnd.ms-excel`).
 */
export function formatOf({ fileName, contentType, traits }: NamedFile): FormatAnswer {
  const extension = extensionOf(fileName);
  const named = FORMATS.find((format) => includes(format.extensions, extension));
  const format = named ?? FORMATS.find(({ mimeType }) => mimeType === essenceOf(contentType));
  if (format === undefined) return { ok: false, unknown: true, reason: unknownReason() };
  if (traits.size === 0) return wrong('the file is empty');
  const signature = signatureOf(traits);
  if (agrees(format, traits, signature)) return { ok: true, mimeType: format.mimeType };
  const claim =
    named === undefined ? `is sent as ${format.mimeType}` : `has the extension ${extension}`;
  return wrong(`the file ${claim}, but ${describeMismatch(format, signature)}`);
}

/** Returns the lower-case extension with its dot, such as `.pdf`, or an empty string. */
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

function unknownReason(): string {
  const supported = FORMATS.map(({ name, extensions }) => `${name} (${extensions.join(', ')})`);
  return `Neither the extension nor the content type of the file is supported. Supported formats: ${supported.join(', ')}.`;
}

function wrong(reason: string): FormatAnswer {
  return { ok: false, unknown: false, reason };
}

type Signature = 'a PDF' | 'a ZIP archive' | 'an old Office file' | 'text' | 'binary' | 'not UTF-8';

function signatureOf({ start, hasNul, isUtf8 }: FileTraits): Signature {
  if (startsWith(start, 0x25, 0x50, 0x44, 0x46, 0x2d)) return 'a PDF';
  if (startsWith(start, 0x50, 0x4b, 0x03, 0x04)) return 'a ZIP archive';
  if (startsWith(start, 0xd0, 0xcf, 0x11, 0xe0)) return 'an old Office file';
  if (startsWith(start, 0xff, 0xfe) || startsWith(start, 0xfe, 0xff)) return 'text';
  if (hasNul) return 'binary';
  return isUtf8 ? 'text' : 'not UTF-8';
}

function startsWith(bytes: Uint8Array, ...prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

function agrees({ mimeType }: Format, { start }: FileTraits, signature: Signature): boolean {
  if (mimeType === PDF) return start.includes('%PDF-');
  // A password-protected Word file has the container format of old Office files. The parser reports the password.
  if (mimeType === DOCX) return signature === 'a ZIP archive' || signature === 'an old Office file';
  return signature === 'text';
}

function describeMismatch({ mimeType, name }: Format, signature: Signature): string {
  const isText = mimeType !== PDF && mimeType !== DOCX;
  if (isText && signature === 'not UTF-8') {
    return 'its text is not UTF-8; save it as UTF-8 (or as UTF-16 with a byte order mark)';
  }
  const what = signature === 'binary' || signature === 'not UTF-8' ? 'binary data' : signature;
  return `its bytes are ${what}, not ${isText ? 'text' : name}; rename or convert the file`;
}
