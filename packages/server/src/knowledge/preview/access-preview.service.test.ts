import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, test } from 'node:test';
import { matchAll, predicatesOf } from '@gatehouse/filter';
import type { SpaceAccess } from '../../identity/index.ts';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { StorageTooSlow } from '../../lib/threads/index.ts';
import type { LinkPreview } from '../../links/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../storage/ports/index.ts';
import { knowledgeOver } from '../knowledge.suite.ts';
import { createAccessPreviews } from './access-preview.service.ts';

const store = await openNewStore();
let gate: Promise<void> = Promise.resolve();
const knowledge = knowledgeOver(store, {
  onExtract: () => gate,
  onError: (error) => {
    throw error;
  },
});
await knowledge.start();
after(async () => {
  await knowledge[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const spaceId = randomUUIDv7();
await addSpace(store, spaceId);
const everything = new KnowledgeScope(spaceId, matchAll);
const editor = { kind: 'user', userId: 'ada', admin: false, sessionId: 's' };
const space = { spaceId, caller: editor } as unknown as SpaceAccess;

/** Explains a document for a link with this `permissionFilter` in a space without a filter. */
function explain(
  documentId: string,
  permissionFilter: object,
  { clock, signal }: { clock?: () => number; signal?: AbortSignal } = {},
) {
  const filters = {
    spaceFilter: matchAll,
    storedSpaceFilter: null,
    permissionFilter: filterOf(permissionFilter),
    filter: matchAll,
  };
  const preview = { assistant: { filters }, predicates: predicatesOf(permissionFilter) };
  const previews = createAccessPreviews({
    documents: knowledge.documents,
    repository: knowledge.previewReads,
    links: { preview: async () => preview as unknown as LinkPreview },
    ...(clock === undefined ? {} : { clock }),
  });
  const request = { documentId, permissionFilter: { ...permissionFilter } };
  return previews.explain(space, request, signal);
}

async function put(text: string, level: string) {
  const { document } = await knowledge.documents.put(everything, 'wiki/1', {
    fileName: 'tapir.txt',
    mimeType: 'text/plain',
    content: Buffer.from(text),
    metadata: { level },
    language: undefined,
  });
  return document.id;
}

async function untilIndexed(id: string): Promise<void> {
  for (let wait = 0; wait < 600; wait += 1) {
    if ((await knowledge.documents.show(everything, id)).state === 'ready') return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('the document was not indexed');
}

test('while a document is being replaced, the explanation is about the version that hides it', async () => {
  const id = await put('The tapir is one.', 'open');
  await untilIndexed(id);
  const open = { level: { eq: 'open' } };
  const closed = { level: { eq: 'closed' } };
  const outcome = async (filter: object) => {
    const { visible, clauses } = await explain(id, filter);
    return [visible, ...clauses.map(({ holds, actual }) => [holds, actual])];
  };
  assert.deepEqual(await outcome(open), [true, [true, 'open']]);
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  try {
    await put('The tapir is two.', 'closed');
    assert.deepEqual(await outcome(open), [false, [false, 'closed']]);
    assert.deepEqual(await outcome(closed), [false, [false, 'open']]);
    assert.deepEqual(await outcome({ level: { ne: 'secret' } }), [true, [true, 'open']]);
  } finally {
    held.resolve();
  }
  await untilIndexed(id);
  assert.deepEqual(await outcome(closed), [true, [true, 'closed']]);
});

test('an explanation fails when it has used two seconds', async () => {
  const id = await put('The tapir is slow.', 'open');
  await untilIndexed(id);
  let now = 0;
  const clock = () => {
    now += 10;
    return now;
  };
  const conditions = (count: number) => ({ or: Array(count).fill({ level: { eq: 'x' } }) });
  assert.equal((await explain(id, conditions(5), { clock })).clauses.length, 5);
  await assert.rejects(explain(id, conditions(200), { clock }), StorageTooSlow);
});

test('an explanation stops when the client disconnects', async () => {
  const id = await put('The tapir is gone.', 'open');
  await untilIndexed(id);
  const reason = new Error('gone');
  const signal = AbortSignal.abort(reason);
  await assert.rejects(explain(id, { level: { eq: 'open' } }, { signal }), reason);
});
