import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../../lib/caching/index.ts';
import type { PassageIndex } from '../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../ports/tables/knowledge.ts';
import { documentNumber, MAX_DOCUMENTS, MAX_SPACES } from './rowids.ts';

/** Numbers that one statement reserves. Numbers that are not used before the process ends are lost. */
const RESERVED = 32;
/** Maximum number of spaces with reserved numbers. */
const MAX_RESERVATIONS = 1000;

export async function nextNumber(trx: KnowledgeDatabase, spaceId: string): Promise<number | null> {
  return (await assign(trx, spaceId, 1))?.first ?? null;
}

/** Returns a function that assigns numbers from a reservation, so that most documents need no statement for their number. */
export function createReservation(db: KnowledgeDatabase): PassageIndex['reserveNumber'] {
  const reservations = new LRUCache<string, Reservation>(atMost(MAX_RESERVATIONS));
  return async (spaceId) => {
    const known = reservations.get(spaceId);
    if (known !== undefined && known.first <= known.last) return known.first++;
    const reserved = await assign(db, spaceId, RESERVED);
    if (reserved === null) return null;
    const number = reserved.first++;
    // A concurrent call may replace the reservation. Its numbers are then lost.
    reservations.set(spaceId, reserved);
    return number;
  };
}

/** Numbers that are not used yet. */
interface Reservation {
  first: number;
  readonly last: number;
}

/** Assigns consecutive numbers to a space. Returns null if the space does not exist. */
async function assign(
  db: KnowledgeDatabase,
  spaceId: string,
  count: number,
): Promise<Reservation | null> {
  const row =
    (await assignNext(db, spaceId, count)) ??
    (await assignFirst(db, spaceId, count)) ??
    // Outside a transaction, a concurrent call may have added the space between the two statements.
    (await assignNext(db, spaceId, count));
  if (row === undefined) return null;
  if (row.number >= MAX_SPACES || row.last_document >= MAX_DOCUMENTS)
    throw new Error(
      'the SQLite store has no document numbers left for this space; move the installation to PostgreSQL',
    );
  const last = documentNumber(row.number, row.last_document);
  return { first: last - count + 1, last };
}

interface Assigned {
  readonly number: number;
  readonly last_document: number;
}

async function assignNext(
  db: KnowledgeDatabase,
  spaceId: string,
  count: number,
): Promise<Assigned | undefined> {
  const { rows } = await sql<Assigned>`
    update knowledge_spaces set last_document = last_document + ${count}
    where space_id = ${spaceId} and exists (select 1 from spaces where id = ${spaceId})
    returning number, last_document`.execute(db);
  return rows[0];
}

/** Assigns numbers to a new space. A conflicting insert uses up a space number, so this must not run for every document. */
async function assignFirst(
  db: KnowledgeDatabase,
  spaceId: string,
  count: number,
): Promise<Assigned | undefined> {
  const { rows } = await sql<Assigned>`
    insert into knowledge_spaces (space_id, last_document)
    select id, ${count} from spaces where id = ${spaceId}
    on conflict (space_id) do nothing
    returning number, last_document`.execute(db);
  return rows[0];
}
