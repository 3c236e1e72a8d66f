import { narrowing, toPostgres, type ValueLookup } from '@gatehouse/filter/sql';
import { type RawBuilder, sql } from 'kysely';
import type { KnowledgeDatabase } from '../../ports/knowledge-engine.ts';
import { KnowledgeScope } from '../../ports/knowledge-scope.ts';

/** The condition on `documents` that a row lies in a scope; for a statement whose time is limited. */
export function permits(scope: KnowledgeScope): RawBuilder<boolean> {
  KnowledgeScope.assert(scope);
  const layout = { documents: 'documents', metadata: 'metadata_json' };
  const { parts, values } = toPostgres(scope.filter, layout);
  const filter = sql<boolean>(parts, ...values);
  return sql<boolean>`(documents.space_id = ${scope.spaceId} and ${filter})`;
}

/** The same of documents that are found. */
export function visible(scope: KnowledgeScope): RawBuilder<boolean> {
  return sql<boolean>`documents.space_id = ${scope.spaceId} and documents.state = 'ready' and ${permits(scope)}`;
}

/** Documents that are looked up one by one; of more, a look at all of the space's is as quick. */
const FEW = 1000;

/** Runs a query and gives its rows. */
export type Rows = <Row>(query: RawBuilder<unknown>) => Promise<readonly Row[]>;

/** Outside of a transaction; what is counted is little. */
export function rowsOf(db: KnowledgeDatabase): Rows {
  return async <Row>(query: RawBuilder<unknown>) => (await query.execute(db)).rows as Row[];
}

/**
 * Where to look for the documents of a scope, to stand behind `from` with the name `documents`: the table, or of it
 * the few that an index says may lie in the scope. Whoever reads asks for `permits` besides: what is counted here
 * makes a read quick and never decides what it shows.
 *
 * As in `ranked.ts`, each statement leaves the planner one way.
 */
export async function likelyDocuments(
  scope: KnowledgeScope,
  rows: Rows,
): Promise<RawBuilder<unknown>> {
  KnowledgeScope.assert(scope);
  const { lookups, narrowest } = narrowing(scope.filter);
  if (lookups.length === 0) return sql`documents`;
  const found = await rows<{ at: number; count: number }>(counted(scope.spaceId, lookups));
  const counts = lookups.map(() => 0);
  for (const { at, count } of found) counts[at] = count;
  const chosen = narrowest(counts);
  return chosen === null || chosen.count > FEW
    ? sql`documents`
    : lookedUp(scope.spaceId, chosen.lookups);
}

/** How many documents each lookup finds; of those that find many, that they do. */
function counted(spaceId: string, lookups: readonly ValueLookup[]): RawBuilder<unknown> {
  const places = lookups.flatMap(({ values }, at) => values.map(() => at));
  return sql`
    select wanted.at, sum(found.count)::int as count
    from unnest(${places}::int[], ${pathsOf(lookups)}::text[], ${valuesOf(lookups)}::text[])
      as wanted (at, path, value)
    cross join lateral (
      select count(*) as count from (
        select from document_values as v
        where v.space_id = ${spaceId} and v.path = wanted.path and v.value = wanted.value
        limit ${sql.lit(FEW + 1)}
      ) as few
    ) as found
    group by wanted.at`;
}

function lookedUp(spaceId: string, lookups: readonly ValueLookup[]): RawBuilder<unknown> {
  return sql`(
    select documents.*
    from (
      select distinct v.document
      from unnest(${pathsOf(lookups)}::text[], ${valuesOf(lookups)}::text[]) as wanted (path, value)
      cross join lateral (
        select document from document_values as v
        where v.space_id = ${spaceId} and v.path = wanted.path and v.value = wanted.value
        offset 0
      ) as v
    ) as found
    cross join lateral (${documentByKey(spaceId, sql`found.document`)}) as documents
  )`;
}

function pathsOf(lookups: readonly ValueLookup[]): string[] {
  return lookups.flatMap(({ path, values }) => values.map(() => path));
}

function valuesOf(lookups: readonly ValueLookup[]): string[] {
  return lookups.flatMap(({ values }) => [...values]);
}

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
