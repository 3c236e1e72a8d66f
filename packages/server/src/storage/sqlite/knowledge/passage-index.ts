import { type RawBuilder, sql } from 'kysely';
import { indexedPassages } from '../../full-text/indexed-passage.ts';
import type { DocumentKey, KnowledgeDatabase, PassageIndex } from '../../ports/knowledge-engine.ts';
import { inTransaction, type Write } from '../../ports/transactions.ts';
import type { Read } from '../dialect.ts';
import { documentNumber, MAX_DOCUMENTS, MAX_SPACES, rowidsOfDocument } from './rowids.ts';
import { dropSomeVectors } from './vectors/vector-index.ts';

/** What goes in one transaction, so that ingest never waits long. */
const PASSAGES_PER_STEP = 200;
const DOCUMENTS_PER_STEP = 50;
const VALUES_PER_STEP = 1000;

export function createPassageIndex(db: KnowledgeDatabase, read: Read): PassageIndex {
  const toWrite = (query: RawBuilder<unknown>): Write => ({ compile: () => query.compile(db) });
  return {
    nextNumber,
    renumber,
    renumberWrites: (spaceId, number, next) => renumbering(spaceId, number, next).map(toWrite),

    // The fence is empty here: see `leases.ts`.
    async insert(document, first, passages) {
      const json = JSON.stringify(indexedPassages(document, first, passages));
      const [base] = rowidsOfDocument(document.number);
      await inTransaction(db, async (trx) => {
        await sql`insert into passages (id, heading, text)
          select cast(${base} as integer) + (value ->> 'position'), value ->> 'heading', value ->> 'text'
          from json_each(${json})`.execute(trx);
        await sql`insert into passages_fts (rowid, title, heading, body)
          select cast(${base} as integer) + (value ->> 'position'), value ->> 'titleTerms', value ->> 'headingTerms', value ->> 'bodyTerms'
          from json_each(${json})`.execute(trx);
      });
    },

    noteRemains,
    remainsWrite: (document) => toWrite(remainsOf(document)),

    async remains(limit) {
      const { rows } = await read(
        'select space_id, number from document_remains order by number limit ?',
        [limit],
      );
      return rows.map((row) => ({
        spaceId: String(row['space_id']),
        number: Number(row['number']),
      }));
    },

    dropSome: (document) => inTransaction(db, (trx) => dropSome(trx, document)),
    dropSomeOfSpace: (spaceId) => inTransaction(db, (trx) => dropSomeOfSpace(trx, spaceId)),

    async orphanedSpaces() {
      const { rows } = await read(
        'select space_id from knowledge_spaces where space_id not in (select id from spaces)',
        [],
      );
      return rows.map((row) => String(row['space_id']));
    },
  };
}

async function nextNumber(trx: KnowledgeDatabase, spaceId: string): Promise<number | null> {
  const row = (await take(trx, spaceId)) ?? (await takeFirst(trx, spaceId));
  if (row === undefined) return null;
  if (row.number >= MAX_SPACES || row.last_document >= MAX_DOCUMENTS)
    throw new Error('the embedded store has no numbers left for documents');
  return documentNumber(row.number, row.last_document);
}

interface Taken {
  readonly number: number;
  readonly last_document: number;
}

async function take(trx: KnowledgeDatabase, spaceId: string): Promise<Taken | undefined> {
  const { rows } = await sql<Taken>`
    update knowledge_spaces set last_document = last_document + 1
    where space_id = ${spaceId} and exists (select 1 from spaces where id = ${spaceId})
    returning number, last_document`.execute(trx);
  return rows[0];
}

/** For a space that has no number yet. Tried with every document, this would use up numbers of spaces. */
async function takeFirst(trx: KnowledgeDatabase, spaceId: string): Promise<Taken | undefined> {
  const { rows } = await sql<Taken>`
    insert into knowledge_spaces (space_id, last_document)
    select id, 1 from spaces where id = ${spaceId}
    on conflict (space_id) do nothing
    returning number, last_document`.execute(trx);
  return rows[0];
}

async function renumber(
  trx: KnowledgeDatabase,
  spaceId: string,
  number: number,
): Promise<number | null> {
  const next = await nextNumber(trx, spaceId);
  if (next === null) return null;
  for (const query of renumbering(spaceId, number, next)) await query.execute(trx);
  return next;
}

function renumbering(spaceId: string, number: number, next: number): RawBuilder<unknown>[] {
  return [
    sql`update documents set number = ${next}, embedded_by = null
      where space_id = ${spaceId} and number = ${number}`,
    remainsOf({ spaceId, number }),
  ];
}

function remainsOf({ spaceId, number }: DocumentKey): RawBuilder<unknown> {
  return sql`insert into document_remains (space_id, number) values (${spaceId}, ${number})
    on conflict do nothing`;
}

async function noteRemains(trx: KnowledgeDatabase, document: DocumentKey): Promise<void> {
  await remainsOf(document).execute(trx);
}

async function dropSome(
  trx: KnowledgeDatabase,
  { spaceId, number }: DocumentKey,
): Promise<boolean> {
  const [first, last] = rowidsOfDocument(number);
  const some = sql`select id from passages where id between ${first} and ${last} limit ${PASSAGES_PER_STEP}`;
  await sql`delete from passages_fts where rowid in (${some})`.execute(trx);
  const { numAffectedRows } = await sql`delete from passages where id in (${some})`.execute(trx);
  if (numAffectedRows !== 0n) return false;
  if (!(await dropSomeVectors(trx, number))) return false;
  const gone = sql`not exists (select 1 from documents where documents.number = ${number})`;
  await sql`delete from document_parts
    where space_id = ${spaceId} and document = ${number} and ${gone}`.execute(trx);
  await sql`delete from document_remains where number = ${number}`.execute(trx);
  return true;
}

async function dropSomeOfSpace(trx: KnowledgeDatabase, spaceId: string): Promise<boolean> {
  const some = sql`select number from documents where space_id = ${spaceId} order by number limit ${DOCUMENTS_PER_STEP}`;
  await sql`insert into document_remains (space_id, number)
    select ${spaceId}, number from (${some})`.execute(trx);
  const documents = await sql`delete from documents where number in (${some})`.execute(trx);
  const values = await sql`delete from document_values where (space_id, path, value, document) in (
    select space_id, path, value, document from document_values where space_id = ${spaceId} limit ${VALUES_PER_STEP}
  )`.execute(trx);
  const events = await sql`delete from document_events where (space_id, subject) in (
    select space_id, subject from document_events where space_id = ${spaceId} limit ${VALUES_PER_STEP}
  )`.execute(trx);
  const removed = [documents, values, events].map(({ numAffectedRows = 0n }) => numAffectedRows);
  if (removed.some((count) => count !== 0n)) return false;
  await sql`delete from knowledge_spaces where space_id = ${spaceId}`.execute(trx);
  return true;
}
