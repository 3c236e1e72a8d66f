import { attachmentIdOf, attachmentUrl, type FilePart } from '@gatehouse/contract';
import type { Passage } from '../../storage/ports/index.ts';

/** Time after which an attachment that was not sent is removed, in milliseconds. */
export const UNSENT_MS = 60 * 60_000;
/**
 * Time after the last question for which attachments of a link without stored conversations are kept, in milliseconds. A widget
 * session is valid for as long.
 */
export const UNSTORED_MS = 15 * 60_000;

/** An attachment of a chat with its text, which is untrusted. */
export interface AttachedFile {
  readonly id: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly passages: readonly Passage[];
}

export function toFilePart({
  id,
  fileName,
  mimeType,
}: Pick<AttachedFile, 'id' | 'fileName' | 'mimeType'>): FilePart {
  return { type: 'file', mediaType: mimeType, filename: fileName, url: attachmentUrl(id) };
}

/** Returns the stored parts of the attachments of a question. */
export function filePartsOf({ attachments }: { readonly attachments: string | null }): FilePart[] {
  return attachments === null ? [] : (JSON.parse(attachments) as FilePart[]);
}

/** Returns the IDs of the attachments to which message parts refer. Ignores other parts. */
export function attachmentIdsOf(
  parts: readonly { readonly type: string; readonly url?: unknown }[],
): string[] {
  const ids = parts.map((part) =>
    part?.type === 'file' && typeof part.url === 'string' ? attachmentIdOf(part.url) : null,
  );
  return [...new Set(ids.filter((id) => id !== null))];
}
