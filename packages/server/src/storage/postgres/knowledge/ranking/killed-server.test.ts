import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { DatabaseServer } from '../../../../../tests/storage/faults/database-server.ts';
import { until } from '../../../../../tests/support/until.ts';
import { createDocumentChanges } from '../../../../knowledge/documents/document-changes.repository.ts';
import { readQuery } from '../../../../lib/text/index.ts';
import { StorageUnavailable } from '../../../../lib/threads/index.ts';
import { addSpace } from '../../../ports/add-space.suite.ts';
import { addDocument } from '../../../ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import { openStore } from '../../open-store.suite.ts';

const SPACE = 'space';

test('searches include the changes before and after PostgreSQL was killed', {
  skip: postgresIsMissing,
}, async () => {
  await using server = await DatabaseServer.make();
  await server.sql('create database knowledge template template0');
  const url = server.url('knowledge');
  const options = { onError: () => {} };
  await using store = await openStore(url, options);
  const { knowledge } = store;
  const scope = new KnowledgeScope(SPACE, matchAll);
  const add = (id: string, engine = knowledge) =>
    addDocument(engine, { spaceId: SPACE, id, metadata: {}, texts: ['amber'] });
  const find = async () => {
    const hits = await knowledge.search(scope, readQuery('amber '), 10);
    return hits.map(({ documentId }) => documentId);
  };

  await addSpace(store, SPACE);
  for (const id of ['first', 'second', 'third']) await add(id);
  assert.deepEqual(await find(), ['first', 'second', 'third']);
  await createDocumentChanges(knowledge).remove(scope, 'first');
  await server.stop('kill');
  await assert.rejects(find(), StorageUnavailable);
  await server.start();
  {
    await using other = await openStore(url, options);
    await createDocumentChanges(other.knowledge).remove(scope, 'second');
    await add('fourth', other.knowledge);
  }
  await until('the store reaches the server again', () =>
    find().then(
      () => true,
      () => false,
    ),
  );
  assert.deepEqual(await find(), ['third', 'fourth']);
});
