import type { DocumentKey, KnowledgeDatabase, Write } from '../../storage/ports/index.ts';
import type { Content } from '../uploads/content.ts';

/** Size in bytes of each stored part except the last, which may be smaller. */
export const PART_BYTES = 1024 * 1024;

/** Stores a document's original unless it is staged. Call it in the transaction that stores the document. */
export async function insertParts(
  trx: KnowledgeDatabase,
  document: DocumentKey,
  original: Content,
): Promise<void> {
  for (const write of partWrites(trx, document, original, ownBytes))
    await trx.executeQuery(write.compile());
}

/** Returns bytes that are not part of a larger buffer. Sending a view to the writer thread sends the whole memory behind it. */
export function ownBytes(view: Uint8Array): Uint8Array {
  return view.byteLength === view.buffer.byteLength ? view : new Uint8Array(view);
}

/**
 * Returns the writes of `insertParts`, for a single round trip. The writes contain views of the original instead of copies, so
 * each byte of the original is sent only once. A staged original is already stored and needs no writes.
 */
export function* partWrites(
  db: KnowledgeDatabase,
  { spaceId, number }: DocumentKey,
  original: Content,
  toBytes = (view: Uint8Array) => view,
): Generator<Write> {
  if (!(original instanceof Uint8Array)) return;
  for (let part = 0; part * PART_BYTES < original.length; part++) {
    const bytes = toBytes(original.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
    yield db
      .insertInto('document_parts')
      .values({ space_id: spaceId, document: number, part, bytes });
  }
}

export class DocumentDeleted extends Error {
  override readonly name = 'DocumentDeleted';

  constructor() {
    super('The document was deleted while its original was read.');
  }
}

/**
 * Streams the original of a document part by part. The caller must have found the document in its scope.
 *
 * @param size Bytes of the original.
 * @throws DocumentDeleted if the document is deleted during the stream.
 */
export async function* streamParts(
  db: KnowledgeDatabase,
  document: DocumentKey,
  size: number,
): AsyncGenerator<Uint8Array> {
  for (let part = 0; part * PART_BYTES < size; part++) {
    const bytes = await readPart(db, document, part);
    if (bytes === undefined) throw new DocumentDeleted();
    yield bytes;
  }
}

async function readPart(
  db: KnowledgeDatabase,
  { spaceId, number }: DocumentKey,
  part: number,
): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('document_parts')
    .where('space_id', '=', spaceId)
    .where('document', '=', number)
    .where('part', '=', part)
    .select('bytes')
    .executeTakeFirst();
  return row?.bytes;
}
