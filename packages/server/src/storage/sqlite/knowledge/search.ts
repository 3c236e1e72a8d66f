import { type RawBuilder, sql } from 'kysely';
import { FTS5_WEIGHTS, toFts5 } from '../../../lib/text/index.ts';
import type {
  KnowledgeDatabase,
  KnowledgeEngine,
  RankedPassage,
  StoredPassage,
} from '../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../ports/knowledge-scope.ts';
import type { Read } from '../dialect.ts';
import { toSqlite } from '../statements.ts';
import { candidatesOf, createTermCounts } from './candidates.ts';
import { permits } from './permits.ts';
import { MAX_PASSAGES, rowidsOfSpace } from './rowids.ts';

const { title: TITLE, heading: HEADING, body: TEXT } = FTS5_WEIGHTS;

const FEW_DOCUMENTS = 200;

type Search = Pick<KnowledgeEngine, 'search' | 'passages'>;

/** Reads for a space, as long as the signal does not say that nobody wants the answer any more. */
export type ReadFor = (spaceId: string, signal?: AbortSignal) => Read;

/** Rowids are too large for a double and stay inside of SQLite. */
export function createSearch(db: KnowledgeDatabase, readFor: ReadFor): Search {
  const counts = createTermCounts();

  async function rowsOf<Row>(read: Read, query: ReturnType<typeof sql>): Promise<Row[]> {
    const { sql: text, parameters } = query.compile(db);
    return (await read(text, toSqlite(parameters))).rows as Row[];
  }

  /** The numbers of the scope's documents, JSON, when they are so few that naming them is the quickest; else null. */
  async function fewDocuments(read: Read, scope: KnowledgeScope): Promise<string | null> {
    const rows = await rowsOf<{ number: number }>(
      read,
      sql`select number from documents where ${permits(scope)} limit ${FEW_DOCUMENTS + 1}`,
    );
    return rows.length > FEW_DOCUMENTS ? null : JSON.stringify(rows.map(({ number }) => number));
  }

  return {
    async search(scope, query, limit, signal) {
      const read = readFor(scope.spaceId, signal);
      const space = await spaceNumber(read, scope.spaceId);
      if (space === null) return [];
      const { terms, common, total } = await counts(read, query);
      const match = toFts5(query, { leaveOut: common });
      const rank = (candidates: RawBuilder<unknown>) =>
        rowsOf<RankedPassage>(read, ranked(scope, { space, match, candidates, limit }));
      const few = await fewDocuments(read, scope);
      if (few !== null)
        return rank(
          sql`and passages_fts.rowid / ${sql.lit(MAX_PASSAGES)} in (select value from json_each(${few}))`,
        );
      const telling = terms.filter(({ term }) => !common.has(term.term));
      const candidates = query.phrases.length > 0 ? null : candidatesOf(telling, total);
      if (candidates !== null) {
        // To FTS5 a plain condition on the rowid would be a search for each. The `+` keeps it from that.
        const hits = await rank(
          sql`and +passages_fts.rowid in (select rowid from passages_fts where passages_fts match ${candidates})`,
        );
        if (hits.length === limit) return hits;
      }
      return rank(sql``);
    },

    passages(scope, documentId, from, limit) {
      // The rowids before a document's are those of another, which the scope may hide.
      const first = Math.max(0, from);
      return rowsOf<StoredPassage>(
        readFor(scope.spaceId),
        sql`
        select passages.id % ${sql.lit(MAX_PASSAGES)} as position, passages.heading, passages.text
        from documents
        cross join passages on passages.id
          between documents.number * ${sql.lit(MAX_PASSAGES)} + cast(${first} as integer)
          and documents.number * ${sql.lit(MAX_PASSAGES)} + ${sql.lit(MAX_PASSAGES - 1)}
        where documents.space_id = ${scope.spaceId} and documents.id = ${documentId}
          and documents.state = 'ready' and ${permits(scope)}
        order by passages.id
        limit ${limit}`,
      );
    },
  };
}

interface Ranking {
  readonly space: number;
  readonly match: string;
  /** A further condition on the passages. */
  readonly candidates: RawBuilder<unknown>;
  readonly limit: number;
}

/**
 * The full-text index leads, and a document's row is asked before a hit is given its score, which is
 * what costs. The scope is in the statement that ranks and cuts off, so that what it hides is neither
 * scored nor takes a place.
 */
function ranked(scope: KnowledgeScope, { space, match, candidates, limit }: Ranking) {
  const [first, last] = rowidsOfSpace(space);
  return sql`
    with hits as (
      select passages_fts.rowid as id, documents.number,
        -bm25(passages_fts, ${TITLE}, ${HEADING}, ${TEXT}) as score
      from passages_fts
      cross join documents on documents.number = passages_fts.rowid / ${sql.lit(MAX_PASSAGES)}
      where passages_fts match ${match} and passages_fts.rowid between ${first} and ${last}
        ${candidates} and documents.state = 'ready' and ${permits(scope)}
      order by score desc, id
      limit ${limit}
    )
    select documents.id as "documentId", documents.file_name as "fileName", documents.metadata,
      hits.id % ${sql.lit(MAX_PASSAGES)} as position, passages.heading, passages.text, hits.score
    from hits
    join documents on documents.number = hits.number
    join passages on passages.id = hits.id
    order by hits.score desc, hits.id`;
}

/** Null when the space has never had a document. */
async function spaceNumber(read: Read, spaceId: string): Promise<number | null> {
  const { rows } = await read('select number from knowledge_spaces where space_id = ?', [spaceId]);
  return rows[0] === undefined ? null : Number(rows[0]['number']);
}
