import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import type { Store } from '../../storage/ports/index.ts';
import { type Consents, createConsents } from './consents.ts';

const LINK = { spaceId: 'space', linkId: 'link' };
const opened = new AsyncDisposableStack();
let store: Store;
let now = 1_700_000_000_000;
/** Two replicas share the table and nothing else. */
let asking: Consents;
let deciding: Consents;

before(async () => {
  store = opened.use(await openNewStore());
  await addSpace(store, 'space');
  await addSpace(store, 'other');
  const create = () => createConsents({ db: store.db, clock: () => now, pollMs: 5 });
  asking = create();
  deciding = create();
});
after(() => opened.disposeAsync());

const never = () => new AbortController().signal;
const ids = async () =>
  (await store.db.selectFrom('tool_consents').select('id').execute()).map(({ id }) => id);

for (const decision of ['allow', 'deny'] as const)
  test(`the decision to ${decision} a call on one replica ends the wait on another one`, async () => {
    const id = randomUUID();
    await asking.open(LINK, id);
    const waiting = asking.wait(LINK, id, never());
    await deciding.decide(LINK, id.toUpperCase(), decision);
    assert.equal(await waiting, decision);
    assert.deepEqual(await ids(), []);
  });

test('only the link of the call may decide, only once', async () => {
  const id = randomUUID();
  await asking.open(LINK, id);
  for (const stranger of [
    { spaceId: 'space', linkId: 'another' },
    { spaceId: 'other', linkId: 'link' },
  ])
    await assert.rejects(deciding.decide(stranger, id, 'allow'), { code: 'chat.no-tool-call' });
  await deciding.decide(LINK, id, 'deny');
  await deciding.decide(LINK, id, 'deny');
  await assert.rejects(deciding.decide(LINK, id, 'allow'), { code: 'chat.no-tool-call' });
  assert.equal(await asking.wait(LINK, id, never()), 'deny');
  await assert.rejects(deciding.decide(LINK, id, 'allow'), { code: 'chat.no-tool-call' });
});

test('a call without a decision is denied after 120 seconds, and a late decision is rejected', async () => {
  const id = randomUUID();
  await asking.open(LINK, id);
  now += 120_000;
  await assert.rejects(deciding.decide(LINK, id, 'allow'), { code: 'chat.no-tool-call' });
  assert.equal(await asking.wait(LINK, id, never()), 'deny');
});

test('the end of the answer deletes its call, and calls of stopped replicas are deleted later', async () => {
  const [id, abandoned] = [randomUUID(), randomUUID()];
  await asking.open(LINK, id);
  await assert.rejects(asking.wait(LINK, id, AbortSignal.abort(new Error('ended'))), /ended/);
  await asking.open(LINK, abandoned);
  now += 240_001;
  await asking.open(LINK, id);
  assert.deepEqual(await ids(), [id]);
});
