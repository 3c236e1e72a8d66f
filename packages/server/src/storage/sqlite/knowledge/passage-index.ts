import { type RawBuilder, sql } from 'kysely';
import { encodedPassages } from '../../full-text/indexed-passage.ts';
import type {
  DocumentKey,
  Passage,
  PassageIndex,
  PassageOwner,
} from '../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../ports/tables/knowledge.ts';
import { inTransaction, type Write, type WriteAtomically } from '../../ports/transactions.ts';
import type { Read } from '../dialect.ts';
import { createReservation, nextNumber } from './document-numbers.ts';
import { rowidsOfDocument } from './rowids.ts';
import { deleteSomeVectors } from './vectors/vector-index.ts';

// Maximum rows per transaction. Small transactions keep the delay of ingest short.
const PASSAGES_PER_STEP = 200;
const CHUNKS_PER_STEP = 20;
const DOCUMENTS_PER_STEP = 50;
const VALUES_PER_STEP = 1000;

export function createPassageIndex(
  db: KnowledgeDatabase,
  read: Read,
  writeAtomically: WriteAtomically,
): PassageIndex {
  const toWrite = (query: RawBuilder<unknown>): Write => ({ compile: () => query.compile(db) });
  return {
    nextNumber,
    reserveNumber: createReservation(db),
    spaceExists: (spaceId) => toWrite(sql`select id from spaces where id = ${spaceId}`),
    renumberWrites: (spaceId, number, next) => renumberQueries(spaceId, number, next).map(toWrite),

    // Ignores the fence, which is always empty; see `leases.ts`.
    async insert(document, first, passages) {
      if (passages.length > 0)
        await writeAtomically(insertQueries(document, first, passages).map(toWrite));
    },

    insertWrites: (document, first, passages) =>
      passages.length === 0 ? [] : insertQueries(document, first, passages).map(toWrite),

    replaceWrites(document, passage) {
      const { stored, terms } = encodedPassages(document, 0, [passage]);
      const [id] = rowidsOfDocument(document.number);
      return [
        sql`insert or replace into passages (id, heading, text)
          values (${id}, ${stored[0]?.heading ?? null}, ${passage.text})`,
        sql`insert or replace into term_vectors (id, terms) values (${id}, ${terms})`,
      ].map(toWrite);
    },

    queueCleanup: (document) => toWrite(insertCleanup(document)),

    async pendingCleanups(limit, now) {
      const { rows } = await read(
        'select space_id, number from document_remains where due_at <= ? order by number limit ?',
        [now, limit],
      );
      return rows.map((row) => ({
        spaceId: String(row['space_id']),
        number: Number(row['number']),
      }));
    },

    async deleteSome(document) {
      const isEmpty = !(await hasData(read, document.number));
      return isEmpty || inTransaction(db, (trx) => deleteSome(trx, document));
    },
    deleteSomeOfSpace: (spaceId) => inTransaction(db, (trx) => deleteSomeOfSpace(trx, spaceId)),

    async orphanedSpaces() {
      const { rows } = await read(
        'select space_id from knowledge_spaces where space_id not in (select id from spaces)',
        [],
      );
      return rows.map((row) => String(row['space_id']));
    },
  };
}

function insertQueries(
  document: PassageOwner,
  first: number,
  passages: readonly Passage[],
): RawBuilder<unknown>[] {
  const { stored, terms } = encodedPassages(document, first, passages);
  const [base] = rowidsOfDocument(document.number);
  const [firstRowid] = rowidsOfDocument(document.number, first);
  return [
    sql`insert into passages (id, heading, text)
      select cast(${base} as integer) + (value ->> 'position'), value ->> 'heading', value ->> 'text'
      from json_each(${JSON.stringify(stored)})`,
    sql`insert into term_vectors (id, terms) values (${firstRowid}, ${terms})`,
  ];
}

function renumberQueries(spaceId: string, number: number, next: number): RawBuilder<unknown>[] {
  return [
    sql`update documents set number = ${next}, embedded_by = null
      where space_id = ${spaceId} and number = ${number}`,
    insertCleanup({ spaceId, number }),
  ];
}

function insertCleanup({ spaceId, number }: DocumentKey): RawBuilder<unknown> {
  return sql`insert into document_remains (space_id, number) values (${spaceId}, ${number})
    on conflict do nothing`;
}

/** Reports whether a document has data to delete. Usually a document that is about to be indexed has none. */
async function hasData(read: Read, number: number): Promise<boolean> {
  const [first, last] = rowidsOfDocument(number);
  const tables = ['passages', 'term_vectors', 'document_sketches', 'document_vectors'];
  const conditions = tables.map(
    (table) => `exists (select 1 from ${table} where id between ? and ?)`,
  );
  const { rows } = await read(
    `select exists (select 1 from document_remains where number = ?) or ${conditions.join(' or ')} as found`,
    [number, ...tables.flatMap(() => [first, last])],
  );
  return rows[0]?.['found'] !== 0;
}

async function deleteSome(
  trx: KnowledgeDatabase,
  { spaceId, number }: DocumentKey,
): Promise<boolean> {
  const [first, last] = rowidsOfDocument(number);
  const some = sql`select id from passages where id between ${first} and ${last} limit ${PASSAGES_PER_STEP}`;
  const someTerms = sql`select id from term_vectors where id between ${first} and ${last} limit ${CHUNKS_PER_STEP}`;
  const removed = [
    await sql`delete from passages where id in (${some})`.execute(trx),
    await sql`delete from term_vectors where id in (${someTerms})`.execute(trx),
  ];
  if (removed.some(({ numAffectedRows }) => numAffectedRows !== 0n)) return false;
  if (!(await deleteSomeVectors(trx, number))) return false;
  const isDeleted = sql`not exists (select 1 from documents where documents.number = ${number})
    and not exists (
      select 1 from document_versions where space_id = ${spaceId} and content = ${number}
    )`;
  await sql`delete from document_parts
    where space_id = ${spaceId} and document = ${number} and ${isDeleted}`.execute(trx);
  await sql`delete from document_remains where number = ${number}`.execute(trx);
  return true;
}

async function deleteSomeOfSpace(trx: KnowledgeDatabase, spaceId: string): Promise<boolean> {
  // The order of an index, so that a step does not sort all documents of the space.
  const some = sql`select number from documents where space_id = ${spaceId} order by file_name, number limit ${DOCUMENTS_PER_STEP}`;
  await sql`insert into document_remains (space_id, number)
    select ${spaceId}, number from (${some})`.execute(trx);
  const documents = await sql`delete from documents where number in (${some})`.execute(trx);
  const values = await sql`delete from document_values where (space_id, path, value, document) in (
    select space_id, path, value, document from document_values where space_id = ${spaceId} limit ${VALUES_PER_STEP}
  )`.execute(trx);
  const events = await sql`delete from document_events where (space_id, subject) in (
    select space_id, subject from document_events where space_id = ${spaceId} limit ${VALUES_PER_STEP}
  )`.execute(trx);
  const records = await sql`delete from records where (projection_id, key) in (
    select projection_id, key from records where space_id = ${spaceId} limit ${VALUES_PER_STEP}
  ) and space_id = ${spaceId}`.execute(trx);
  const subjects = await sql`delete from record_subjects where space_id = ${spaceId}
    and (subject, projection_id, key) in (
      select subject, projection_id, key from record_subjects where space_id = ${spaceId}
      limit ${VALUES_PER_STEP}
    )`.execute(trx);
  const versions = await deleteVersions(trx, spaceId);
  const removed = [documents, values, events, records, subjects, versions].map(
    ({ numAffectedRows = 0n }) => numAffectedRows,
  );
  if (removed.some((count) => count !== 0n)) return false;
  await sql`delete from knowledge_spaces where space_id = ${spaceId}`.execute(trx);
  return true;
}

/** Deletes versions of a deleted space, and queues the removal of their originals. */
async function deleteVersions(trx: KnowledgeDatabase, spaceId: string) {
  const some = sql`select document_id, version from document_versions where space_id = ${spaceId}
    order by document_id, version limit ${VALUES_PER_STEP}`;
  await sql`insert into document_remains (space_id, number)
    select space_id, content from document_versions
    where space_id = ${spaceId} and (document_id, version) in (${some})
    on conflict do nothing`.execute(trx);
  return sql`delete from document_versions
    where space_id = ${spaceId} and (document_id, version) in (${some})`.execute(trx);
}
