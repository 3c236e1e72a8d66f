import { createHash } from 'node:crypto';
import type { KnowledgeDatabase, KnowledgeEngine } from '../../storage/ports/index.ts';
import { claimStaged } from './staged-original.repository.ts';

/** An original whose parts are stored under a document number that no document has yet. */
export interface StagedOriginal {
  readonly spaceId: string;
  readonly number: number;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** The original of a new document: in memory, or already stored. */
export type Content = Uint8Array | StagedOriginal;

export function sizeOf(content: Content): number {
  return content instanceof Uint8Array ? content.length : content.size;
}

export function sha256Of(content: Content): string {
  if (!(content instanceof Uint8Array)) return content.sha256;
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Returns the number of a new document with this content, or null if the space was deleted. Call it in the transaction that
 * inserts the document.
 *
 * @throws {StorageUnavailable} `overloaded` if the staged original was removed, because the upload took too long.
 */
export async function numberFor(
  { index }: KnowledgeEngine,
  trx: KnowledgeDatabase,
  spaceId: string,
  content: Content,
): Promise<number | null> {
  // For a staged original, this call only ensures that the space exists until the transaction ends.
  const next = await index.nextNumber(trx, spaceId);
  if (next === null || content instanceof Uint8Array) return next;
  await claimStaged(trx, content);
  return content.number;
}
