import type { DocumentKey, KnowledgeDatabase, Write } from '../../storage/ports/index.ts';

/** Maximum bytes of one stored value, whatever the size of the original. */
const PART_BYTES = 1024 * 1024;

/** Stores a document's original, in the transaction that stores the document. */
export async function insertParts(
  trx: KnowledgeDatabase,
  document: DocumentKey,
  original: Uint8Array,
): Promise<void> {
  for (const write of partWrites(trx, document, original)) await trx.executeQuery(write.compile());
}

/** Returns the writes of `insertParts`. */
export function partWrites(
  db: KnowledgeDatabase,
  { spaceId, number }: DocumentKey,
  original: Uint8Array,
): Write[] {
  const parts = Math.ceil(original.length / PART_BYTES);
  return Array.from({ length: parts }, (_, part) => {
    const bytes = original.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    return db
      .insertInto('document_parts')
      .values({ space_id: spaceId, document: number, part, bytes });
  });
}

/**
 * Streams the original of a document that the caller has found in its scope, part by part.
 *
 * @param size of the original in bytes.
 * @throws Error if the document is deleted meanwhile.
 */
export async function* streamParts(
  db: KnowledgeDatabase,
  document: DocumentKey,
  size: number,
): AsyncGenerator<Uint8Array> {
  for (let part = 0; part * PART_BYTES < size; part++) {
    const bytes = await readPart(db, document, part);
    if (bytes === undefined) throw new Error('the document was deleted while it was read');
    yield bytes;
  }
}

/** Returns the whole original, or null if it was deleted meanwhile. */
export async function readParts(
  db: KnowledgeDatabase,
  document: DocumentKey,
  size: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const whole = new Uint8Array(size);
  for (let part = 0; part * PART_BYTES < size; part++) {
    const bytes = await readPart(db, document, part);
    if (bytes === undefined) return null;
    whole.set(bytes, part * PART_BYTES);
  }
  return whole;
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
