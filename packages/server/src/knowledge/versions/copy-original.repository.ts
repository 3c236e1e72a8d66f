import { sql } from 'kysely';
import {
  type KnowledgeDatabase,
  type KnowledgeEngine,
  runWrites,
} from '../../storage/ports/index.ts';
import { spaceGone } from '../documents/document.errors.ts';
import type { StagedOriginal } from '../uploads/content.ts';
import type { EarlierVersion } from './version-history.repository.ts';

/**
 * Copies the original of a version to a new number. Like an upload, the copy is staged: if no document claims it, the indexer
 * removes it.
 */
export async function copyOriginal(
  { index }: KnowledgeEngine,
  trx: KnowledgeDatabase,
  {
    space_id: spaceId,
    content,
    size,
    sha256,
  }: Pick<EarlierVersion, 'space_id' | 'content' | 'size' | 'sha256'>,
): Promise<StagedOriginal> {
  const number = await index.nextNumber(trx, spaceId);
  if (number === null) throw spaceGone();
  await sql`insert into document_parts (space_id, document, part, bytes)
    select space_id, cast(${number} as bigint), part, bytes from document_parts
    where space_id = ${spaceId} and document = ${content}`.execute(trx);
  await runWrites(trx, [index.queueCleanup({ spaceId, number })]);
  return { spaceId, number, size, sha256 };
}
