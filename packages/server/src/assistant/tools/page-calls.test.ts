import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createSealer } from '../../platform/secrets/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import type { Store } from '../../storage/ports/index.ts';
import { createPageCalls, type PageCalls } from './page-calls.ts';

const LINK = { spaceId: 'space', linkId: 'link' };
const RESULT = { outcome: 'succeeded', text: 'two items' } as const;
const opened = new AsyncDisposableStack();
let store: Store;
let now = 1_700_000_000_000;
/** Two replicas share the table and the secret of the installation. */
let asking: PageCalls;
let receiving: PageCalls;

before(async () => {
  store = opened.use(await openNewStore());
  await addSpace(store, 'space');
  await addSpace(store, 'other');
  const secret = randomBytes(32);
  const create = () =>
    createPageCalls({
      db: store.db,
      clock: () => now,
      sealer: createSealer(secret, 'page tools'),
      pollMs: 5,
    });
  asking = create();
  receiving = create();
});
after(() => opened.disposeAsync());

const never = () => new AbortController().signal;
const rows = () => store.db.selectFrom('page_tool_calls').selectAll().execute();

test('a result that reaches one replica ends the wait on another one, and is stored only encrypted', async () => {
  const id = randomUUID();
  await asking.open(LINK, id, 1000);
  await receiving.answer(LINK, id.toUpperCase(), RESULT);
  assert.ok(!JSON.stringify(await rows()).includes('two items'));
  assert.deepEqual(await asking.wait(LINK, id, never()), RESULT);
  assert.deepEqual(await rows(), []);
});

test('only the link of the call may return a result, only once and in time', async () => {
  const id = randomUUID();
  await asking.open(LINK, id, 1000);
  for (const stranger of [
    { ...LINK, linkId: 'other' },
    { ...LINK, spaceId: 'other' },
  ])
    await assert.rejects(receiving.answer(stranger, id, RESULT), { status: 404 });
  await receiving.answer(LINK, id, RESULT);
  await assert.rejects(receiving.answer(LINK, id, RESULT), { status: 404 });
  await asking.wait(LINK, id, never());
  const late = randomUUID();
  await asking.open(LINK, late, 1000);
  now += 1000;
  await assert.rejects(receiving.answer(LINK, late, RESULT), { status: 404 });
  assert.equal(await asking.wait(LINK, late, never()), null);
});

test('a wait that is aborted deletes the call, and calls of a stopped replica are deleted later', async () => {
  const [aborted, abandoned, next] = [randomUUID(), randomUUID(), randomUUID()];
  await asking.open(LINK, aborted, 1000);
  await assert.rejects(asking.wait(LINK, aborted, AbortSignal.abort(new Error('gone'))), /gone/);
  await asking.open(LINK, abandoned, 1000);
  now += 62_000;
  await asking.open(LINK, next, 1000);
  assert.deepEqual(
    (await rows()).map(({ id }) => id),
    [next],
  );
});
