import { type RawBuilder, sql } from 'kysely';

/**
 * For `cross join lateral`: rows that are asked for by their whole key and in no other way. A plain join leaves the planner
 * the choice to go through all of a space for each, which by what it knows of the table may look as quick.
 */
export function documentByKey(spaceId: string, number: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select * from documents
    where documents.space_id = ${spaceId} and documents.number = ${number} limit 1`;
}

export function passageByKey(
  spaceId: string,
  document: RawBuilder<unknown>,
  position: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`select heading, text from passages
    where passages.space_id = ${spaceId} and passages.document = ${document}
      and passages.position = ${position} limit 1`;
}
