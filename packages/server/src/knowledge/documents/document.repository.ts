import { type RawBuilder, sql } from 'kysely';
import type { DocumentRow, KnowledgeEngine, KnowledgeScope } from '../../storage/ports/index.ts';
import type { ShownRow } from './document.rules.ts';
import { streamParts } from './document-parts.repository.ts';

const SHOWN = [
  'id',
  'space_id',
  'file_name',
  'mime_type',
  'language',
  'title',
  'size',
  'state',
  'failure',
  'passages',
  'metadata',
  'created_at',
  'updated_at',
] as const;

const NAMED_PER_STATEMENT = 500;

export type DocumentRepository = ReturnType<typeof createDocumentRepository>;

/** Reads documents. Every query has a scope and returns only documents in it. */
export function createDocumentRepository(engine: KnowledgeEngine) {
  const inScope = (scope: KnowledgeScope, likely: RawBuilder<unknown> = sql`documents`) =>
    engine
      .scanning(scope)
      .selectFrom(sql<DocumentRow>`${likely}`.as('documents'))
      .where('documents.space_id', '=', scope.spaceId)
      .where(engine.permits(scope));

  return {
    /** Returns at most `count` documents in the order of their ids. */
    async list(
      scope: KnowledgeScope,
      {
        after,
        state,
        count,
      }: { after: string | null; state?: DocumentRow['state']; count: number },
    ): Promise<ShownRow[]> {
      let query = inScope(scope, await engine.likelyDocuments(scope))
        .select(SHOWN)
        .orderBy('id')
        .limit(count);
      if (after !== null) query = query.where('id', '>', after);
      if (state !== undefined) query = query.where('state', '=', state);
      return query.execute();
    },

    find(scope: KnowledgeScope, id: string): Promise<(ShownRow & { number: number }) | undefined> {
      return inScope(scope)
        .where('id', '=', id)
        .select([...SHOWN, 'number'])
        .executeTakeFirst();
    },

    /** Returns those of the documents that are in the scope, with their names. */
    async named(
      scope: KnowledgeScope,
      ids: readonly string[],
    ): Promise<{ id: string; file_name: string; mime_type: string }[]> {
      const found = [];
      for (let at = 0; at < ids.length; at += NAMED_PER_STATEMENT)
        found.push(
          ...(await inScope(scope)
            .where('id', 'in', ids.slice(at, at + NAMED_PER_STATEMENT))
            .select(['id', 'file_name', 'mime_type'])
            .execute()),
        );
      return found;
    },

    /** Returns the uploaded document with the same bytes and name. Documents that follow events do not count. */
    findFile(
      scope: KnowledgeScope,
      { sha256, fileName }: { sha256: string; fileName: string },
    ): Promise<(ShownRow & { number: number }) | undefined> {
      return inScope(scope)
        .where('sha256', '=', sha256)
        .where('file_name', '=', fileName)
        .where('subject', 'is', null)
        .select([...SHOWN, 'number'])
        .executeTakeFirst();
    },

    /** Streams the original of a document that was found in a scope. */
    parts: ({ spaceId }: KnowledgeScope, number: number, size: number) =>
      streamParts(engine.db, { spaceId, number }, size),
  };
}
