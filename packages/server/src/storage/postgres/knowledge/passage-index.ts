import { type RawBuilder, sql } from 'kysely';
import { encodedPassages } from '../../full-text/indexed-passage.ts';
import type {
  DocumentKey,
  Passage,
  PassageIndex,
  PassageOwner,
} from '../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../ports/tables/knowledge.ts';
import { inTransaction, runWrites, type Write } from '../../ports/transactions.ts';

export function createPassageIndex(db: KnowledgeDatabase): PassageIndex {
  const toWrite = (query: RawBuilder<unknown>): Write => ({ compile: () => query.compile(db) });
  return {
    nextNumber,
    reserveNumber: (spaceId) => nextNumber(db, spaceId),
    spaceExists: (spaceId) =>
      toWrite(sql`select id from spaces where id = ${spaceId} for key share`),

    renumberWrites: (spaceId, number, next) => renumbering(spaceId, number, next).map(toWrite),

    async insert(document, first, passages, fence = []) {
      if (passages.length === 0) return;
      const inserts = insertQueries(document, first, passages);
      const { spaceId } = document;
      await inTransaction(db, async (trx) => {
        await runWrites(trx, fence);
        const { rows: found } = await sql`
          select from knowledge_spaces where space_id = ${spaceId}`.execute(trx);
        // The space was deleted. Do not add passages, because no later step would remove them.
        if (found.length === 0) return;
        for (const insert of inserts) await insert.execute(trx);
      });
    },

    insertWrites: (document, first, passages) =>
      passages.length === 0 ? [] : insertQueries(document, first, passages).map(toWrite),

    replaceWrites(document, passage) {
      const { stored, terms } = encodedPassages(document, 0, [passage]);
      const { spaceId, number } = document;
      return [
        sql`insert into passages (space_id, document, position, heading, text)
          values (${spaceId}, ${number}, 0, ${stored[0]?.heading ?? null}, ${passage.text})
          on conflict (space_id, document, position)
          do update set heading = excluded.heading, text = excluded.text`,
        sql`insert into term_vectors (space_id, document, position, terms)
          values (${spaceId}, ${number}, 0, ${terms})
          on conflict (space_id, document, position) do update set terms = excluded.terms`,
      ].map(toWrite);
    },

    queueCleanup: (document) => toWrite(remainsOf(document)),

    async pendingCleanups(limit, now) {
      const { rows } = await sql<{ spaceId: string; number: number }>`
        select space_id as "spaceId", number from document_remains
        where due_at <= ${now}::bigint order by space_id, number limit ${limit}::int`.execute(db);
      return rows;
    },

    deleteSome: (document, fence = []) =>
      inTransaction(db, async (trx) => {
        await runWrites(trx, fence);
        return deleteSome(trx, document);
      }),

    deleteSomeOfSpace: (spaceId) => inTransaction(db, (trx) => deleteSomeOfSpace(trx, spaceId)),

    async orphanedSpaces() {
      const { rows } = await sql<{ spaceId: string }>`
        select space_id as "spaceId" from knowledge_spaces
        where not exists (select from spaces where spaces.id = knowledge_spaces.space_id)`.execute(
        db,
      );
      return rows.map(({ spaceId }) => spaceId);
    },
  };
}

function insertQueries(
  document: PassageOwner,
  first: number,
  passages: readonly Passage[],
): RawBuilder<unknown>[] {
  const { stored, terms } = encodedPassages(document, first, passages);
  const { spaceId, number } = document;
  return [
    sql`
      insert into passages (space_id, document, position, heading, text)
      select ${spaceId}, ${number}::bigint, one.*
      from unnest(
        ${stored.map(({ position }) => position)}::integer[],
        ${stored.map(({ heading }) => heading)}::text[],
        ${stored.map(({ text }) => text)}::text[]
      ) as one`,
    sql`
      insert into term_vectors (space_id, document, position, terms)
      values (${spaceId}, ${number}, ${first}, ${terms})`,
  ];
}

/**
 * The upper 20 bits of a document's number are the number of its space. The lower 27 bits identify the document. SQLite uses the
 * same numbers.
 */
const DOCUMENTS_PER_SPACE = 2 ** 27;

/**
 * Returns a new document number, or `null` if the space does not exist. Locks the row of the space until the transaction ends, so no
 * document is stored in a space that is being deleted.
 */
export async function nextNumber(trx: KnowledgeDatabase, spaceId: string): Promise<number | null> {
  const number = await allocateNumber(trx, spaceId);
  if (number !== null) return number;
  await sql`insert into knowledge_spaces (space_id) select id from spaces where id = ${spaceId}
    on conflict (space_id) do nothing`.execute(trx);
  return allocateNumber(trx, spaceId);
}

async function allocateNumber(trx: KnowledgeDatabase, spaceId: string): Promise<number | null> {
  const { rows } = await sql<{ number: number }>`
    select knowledge_spaces.number::bigint * ${sql.lit(DOCUMENTS_PER_SPACE)}
      + nextval('document_ordinals') as number
    from spaces
    join knowledge_spaces on knowledge_spaces.space_id = spaces.id
    where spaces.id = ${spaceId}
    for key share of spaces`.execute(trx);
  return rows[0]?.number ?? null;
}

/** Returns statements that change a document's number and mark the data of the old number for removal. */
function renumbering(
  spaceId: string,
  number: number,
  next: number,
): readonly RawBuilder<unknown>[] {
  return [
    sql`update documents set number = ${next}, embedded_by = null
      where space_id = ${spaceId} and number = ${number}`,
    remainsOf({ spaceId, number }),
  ];
}

function remainsOf({ spaceId, number }: DocumentKey): RawBuilder<unknown> {
  return sql`insert into document_remains (space_id, number) values (${spaceId}, ${number})
    on conflict (space_id, number) do nothing`;
}

/** Rows per transaction. Longer transactions conflict with other transactions more often. */
const PASSAGES_PER_STEP = 500;
const PIECES_PER_STEP = 50;
const DOCUMENTS_PER_STEP = 50;
const ROWS_PER_STEP = 1000;

/**
 * Removes up to one step of a document's indexed data. After the last step, also removes the remaining rows of a deleted
 * document. Returns `true` when all rows are removed.
 */
export async function deleteSome(
  trx: KnowledgeDatabase,
  { spaceId, number }: DocumentKey,
): Promise<boolean> {
  const deleteStep = (table: RawBuilder<unknown>, count: number) => sql`delete from ${table}
    where space_id = ${spaceId} and document = ${number} and position in (
      select position from ${table} where space_id = ${spaceId} and document = ${number}
      order by position limit ${sql.lit(count)}
    )`;
  for (const [table, count] of [
    [sql.table('passages'), PASSAGES_PER_STEP],
    [sql.table('term_vectors'), PIECES_PER_STEP],
    [sql.table('document_sketches'), PIECES_PER_STEP],
    [sql.table('document_vectors'), PIECES_PER_STEP],
  ] as const)
    if (await removed(trx, deleteStep(table, count))) return false;
  await sql`delete from document_parts where space_id = ${spaceId} and document = ${number}
    and not exists (
      select from documents where space_id = ${spaceId} and number = ${number}
    ) and not exists (
      select from document_versions where space_id = ${spaceId} and content = ${number}
    )`.execute(trx);
  await sql`delete from document_remains
    where space_id = ${spaceId} and number = ${number}`.execute(trx);
  return true;
}

/** Deletes up to one step of the documents of a deleted space and the related rows. Returns `true` when all rows are deleted. */
export async function deleteSomeOfSpace(trx: KnowledgeDatabase, spaceId: string): Promise<boolean> {
  const documents = sql`select number from documents where space_id = ${spaceId}
    order by number limit ${sql.lit(DOCUMENTS_PER_STEP)}`;
  await sql`insert into document_remains (space_id, number)
    select ${spaceId}, number from (${documents}) as gone
    on conflict (space_id, number) do nothing`.execute(trx);
  const versions = sql`select document_id, version from document_versions where space_id = ${spaceId}
    order by document_id, version limit ${sql.lit(ROWS_PER_STEP)}`;
  await sql`insert into document_remains (space_id, number)
    select space_id, content from document_versions
    where space_id = ${spaceId} and (document_id, version) in (${versions})
    on conflict (space_id, number) do nothing`.execute(trx);
  const steps = [
    sql`delete from document_versions
      where space_id = ${spaceId} and (document_id, version) in (${versions})`,
    sql`delete from documents where space_id = ${spaceId} and number in (${documents})`,
    sql`delete from document_values where space_id = ${spaceId} and (path, value, document) in (
      select path, value, document from document_values where space_id = ${spaceId}
      limit ${sql.lit(ROWS_PER_STEP)}
    )`,
    sql`delete from document_events where space_id = ${spaceId} and subject in (
      select subject from document_events where space_id = ${spaceId}
      limit ${sql.lit(ROWS_PER_STEP)}
    )`,
    sql`delete from records where space_id = ${spaceId} and (projection_id, key) in (
      select projection_id, key from records where space_id = ${spaceId}
      limit ${sql.lit(ROWS_PER_STEP)}
    )`,
    sql`delete from record_subjects where space_id = ${spaceId}
      and (subject, projection_id, key) in (
        select subject, projection_id, key from record_subjects where space_id = ${spaceId}
        limit ${sql.lit(ROWS_PER_STEP)}
      )`,
  ];
  let anyRemoved = false;
  for (const step of steps) anyRemoved = (await removed(trx, step)) || anyRemoved;
  if (anyRemoved) return false;
  await sql`delete from knowledge_spaces where space_id = ${spaceId}`.execute(trx);
  return true;
}

async function removed(trx: KnowledgeDatabase, query: RawBuilder<unknown>): Promise<boolean> {
  const { numAffectedRows = 0n } = await query.execute(trx);
  return numAffectedRows !== 0n;
}
