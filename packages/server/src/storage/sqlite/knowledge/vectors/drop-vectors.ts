import { sql } from 'kysely';
import type { KnowledgeDatabase } from '../../../ports/knowledge-engine.ts';
import { rowidsOfDocument } from '../numbers.ts';

/** A row may hold 100 KB, and what goes in one transaction must not keep others waiting. */
const ROWS_PER_STEP = 20;

/** Removes some of a document's vectors; true when none is left. */
export async function dropSomeVectors(trx: KnowledgeDatabase, number: number): Promise<boolean> {
  const [first, last] = rowidsOfDocument(number);
  const some = sql`select id from document_sketches where id between ${first} and ${last} limit ${ROWS_PER_STEP}`;
  await sql`delete from document_vectors where id in (${some})`.execute(trx);
  const { numAffectedRows } =
    await sql`delete from document_sketches where id in (${some})`.execute(trx);
  return numAffectedRows === 0n;
}
