import { type RawBuilder, sql } from 'kysely';
import { indexedPassages } from '../../full-text/indexed-passage.ts';
import type { KnowledgeDatabase, PassageIndex } from '../../ports/knowledge-engine.ts';
import type { Write } from '../../ports/transactions.ts';
import { inTransaction } from '../../ports/transactions.ts';
import { dropSome, dropSomeOfSpace } from './drop.ts';
import { vectorOf } from './lexemes.ts';
import { nextNumber, remainsOf, renumbering } from './numbers.ts';

export function createPassageIndex(db: KnowledgeDatabase): PassageIndex {
  const toWrite = (query: RawBuilder<unknown>): Write => ({ compile: () => query.compile(db) });
  return {
    nextNumber,

    async renumber(trx, spaceId, number) {
      const next = await nextNumber(trx, spaceId);
      if (next === null) return null;
      for (const query of renumbering(spaceId, number, next)) await query.execute(trx);
      return next;
    },

    renumberWrites: (spaceId, number, next) => renumbering(spaceId, number, next).map(toWrite),

    async insert(document, first, passages, fence = []) {
      const rows = indexedPassages(document, first, passages);
      const { spaceId, number } = document;
      await inTransaction(db, async (trx) => {
        await write(trx, fence);
        const space = sql<number>`(select number from knowledge_spaces where space_id = ${spaceId})`;
        const { rows: found } = await sql<{
          number: number | null;
        }>`select ${space} as number`.execute(trx);
        const spaceNumber = found[0]?.number;
        // The space is gone, and nobody would remove them.
        if (spaceNumber === null || spaceNumber === undefined) return;
        await sql`
          insert into passages (space_id, document, position, heading, text, terms)
          select ${spaceId}, ${number}::bigint, one.*
          from unnest(
            ${rows.map(({ position }) => position)}::integer[],
            ${rows.map(({ heading }) => heading)}::text[],
            ${rows.map(({ text }) => text)}::text[],
            ${rows.map((row) => vectorOf(spaceNumber, row))}::tsvector[]
          ) as one`.execute(trx);
      });
    },

    async noteRemains(trx, document) {
      await remainsOf(document).execute(trx);
    },

    remainsWrite: (document) => toWrite(remainsOf(document)),

    async remains(limit) {
      const { rows } = await sql<{ spaceId: string; number: number }>`
        select space_id as "spaceId", number from document_remains
        order by space_id, number limit ${limit}::int`.execute(db);
      return rows;
    },

    dropSome: (document, fence = []) =>
      inTransaction(db, async (trx) => {
        await write(trx, fence);
        return dropSome(trx, document);
      }),

    dropSomeOfSpace: (spaceId) => inTransaction(db, (trx) => dropSomeOfSpace(trx, spaceId)),

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

async function write(trx: KnowledgeDatabase, writes: readonly Write[]): Promise<void> {
  for (const one of writes) await trx.executeQuery(one.compile());
}
