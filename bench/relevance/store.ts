import { matchAll } from '../../packages/filter/src/index.ts';
import { readQuery } from '../../packages/server/src/lib/text/index.ts';
import { addSpace } from '../../packages/server/src/storage/ports/add-space.suite.ts';
import { addDocument } from '../../packages/server/src/storage/ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../../packages/server/src/storage/ports/knowledge-scope.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { openStoreOf } from '../lib/open-store.ts';
import { HITS, type Passage } from './collection.ts';

const SPACE = 'handbooks';

/** Returns the units that the store's search finds for each text, best first. */
export async function answersOf(
  passages: readonly Passage[],
  texts: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  using directory = temporaryDirectory();
  await using store = await openStoreOf(directory.path);
  const { knowledge } = store;
  await addSpace(store, SPACE);
  const units = new Map<string, string>();
  for (const { id, unit, title, heading, body } of passages) {
    units.set(id, unit);
    const number = await addDocument(knowledge, { spaceId: SPACE, id, metadata: {}, texts: [] });
    const own = { spaceId: SPACE, number, fileName: '', title };
    await knowledge.index.insert(own, 0, [{ heading: [heading], text: body }]);
  }
  await knowledge.db
    .updateTable('documents')
    .set({ passages: 1 })
    .where('space_id', '=', SPACE)
    .execute();
  const scope = new KnowledgeScope(SPACE, matchAll);
  const answers = new Map<string, readonly string[]>();
  for (const text of texts) {
    const hits = await knowledge.search(scope, readQuery(text), HITS);
    answers.set(
      text,
      hits.map(({ documentId }) => units.get(documentId) ?? ''),
    );
  }
  return answers;
}
