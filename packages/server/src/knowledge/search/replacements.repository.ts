import { type KnowledgeDatabase, prepare } from '../../storage/ports/index.ts';

/** Returns a function that reads how many times a version has replaced a document of a space. */
export function createReplacementCount(db: KnowledgeDatabase) {
  const find = prepare(db, ({ spaceId }: { spaceId: string }) =>
    db.selectFrom('knowledge_spaces').where('space_id', '=', spaceId).select('replacements'),
  );
  return async (spaceId: string): Promise<number> => {
    const [row] = await find({ spaceId });
    return row?.replacements ?? 0;
  };
}
