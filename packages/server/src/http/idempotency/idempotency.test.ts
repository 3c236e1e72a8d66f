import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { runWrites, type Store } from '../../storage/ports/index.ts';
import { tokenHashUnlessUsed } from './derived-secret.repository.ts';
import { REPLAY_MS } from './derived-secret.rules.ts';
import { type Attempt, createIdempotency, type Idempotency } from './idempotency.service.ts';

const SECRET = Buffer.alloc(32, 7);
const ANSWER = { status: 201, headers: {}, text: '{"id":1}' };
const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';

describe('idempotency', () => {
  let location: Awaited<ReturnType<typeof newStoreLocation>>;
  let store: Store;
  let now = 1_800_000_000_000;
  const errors: unknown[] = [];
  before(async () => {
    location = await newStoreLocation();
    store = await location.open();
  });
  after(async () => {
    await store[Symbol.asyncDispose]();
    location[Symbol.dispose]();
    assert.deepEqual(errors, []);
  });

  const open = (maxPerCaller = 0): Idempotency =>
    createIdempotency({
      db: store.db,
      semaphores: store.shared.semaphores,
      leases: store.leases,
      clock: () => now,
      secret: SECRET,
      maxPerCaller,
      isAlone: store.isExclusive,
      onError: (error) => errors.push(error),
    });
  const requestOf = (key: string, fingerprint = 'body', caller = 'key a') => ({
    caller,
    key,
    fingerprint: async () => fingerprint,
    authorize: async () => {},
    isOneTransaction: false,
    apiKey: null,
    fingerprintWith: null,
    restore: null,
  });
  const oneTransaction = (key: string) => ({ ...requestOf(key), isOneTransaction: true });
  const storing = (owner: { spaceId: string | null; sub?: string } = { spaceId: SPACE }) => {
    return async (attempt: Attempt) => {
      await attempt.store('body', ANSWER, owner);
      return 'made';
    };
  };
  const rows = async () => {
    const found = await store.db.selectFrom('idempotent_responses').selectAll().execute();
    return found.length;
  };

  test('replays a response until 24 hours have passed, and then runs the request again', async () => {
    const idempotency = open();
    const run = () => idempotency.run(requestOf('expiring'), storing());
    assert.deepEqual(await run(), { isReplay: false, answer: 'made' });
    now += REPLAY_MS - 1;
    assert.deepEqual(await run(), { isReplay: true, answer: ANSWER });
    now += 1;
    assert.deepEqual(await run(), { isReplay: false, answer: 'made' });
    assert.deepEqual(await run(), { isReplay: true, answer: ANSWER });
  });

  test('a second response with one key rolls back its transaction and replays the first response', async () => {
    const idempotency = open();
    let userExists = true;
    const outcome = await idempotency.run(requestOf('lost'), async (attempt) => {
      // Another replica stores its response although this replica holds the semaphore.
      await attempt.store('body', ANSWER, { spaceId: null });
      return store.db.transaction().execute(async (trx) => {
        const space = { id: 'rolled back', name: 'x', created_at: 1 };
        await trx.insertInto('spaces').values(space).execute();
        await runWrites(trx, attempt.writes('body', { ...ANSWER, text: null }, { spaceId: null }));
      });
    });
    assert.deepEqual(outcome, { isReplay: true, answer: ANSWER });
    const space = store.db.selectFrom('spaces').where('id', '=', 'rolled back').select('id');
    userExists = (await space.executeTakeFirst()) !== undefined;
    assert.equal(userExists, false);
  });

  test('an operation of one transaction replays its response until 24 hours have passed, and then runs again', async () => {
    const idempotency = open();
    const run = () => idempotency.run(oneTransaction('one transaction'), storing());
    assert.deepEqual(await run(), { isReplay: false, answer: 'made' });
    now += REPLAY_MS - 1;
    assert.deepEqual(await run(), { isReplay: true, answer: ANSWER });
    now += 1;
    assert.deepEqual(await run(), { isReplay: false, answer: 'made' });
    assert.deepEqual(await run(), { isReplay: true, answer: ANSWER });
  });

  test('an operation of one transaction that has become invalid replays its response', async () => {
    const idempotency = open();
    const failing = () => Promise.reject(new Error('the request is no longer valid'));
    await assert.rejects(idempotency.run(oneTransaction('invalid'), failing));
    await idempotency.run(oneTransaction('invalid'), storing());
    const outcome = await idempotency.run(oneTransaction('invalid'), failing);
    assert.deepEqual(outcome, { isReplay: true, answer: ANSWER });
  });

  test('a repetition while an operation of one transaction runs gets 409', async () => {
    const idempotency = open();
    const request = oneTransaction('running');
    const outcome = await idempotency.run(request, async (attempt) => {
      await assert.rejects(
        idempotency.run(request, storing()),
        (error) => error instanceof ApiError && error.status === 409,
      );
      return storing()(attempt);
    });
    assert.equal(outcome.isReplay, false);
  });

  test('a derived token is returned for 24 hours, also on the next day, and then replaced', async () => {
    const idempotency = open();
    await addSpace(store, SPACE);
    const restore = ({ token }: { token: string }) => ({ ...ANSWER, text: token });
    const request = {
      ...oneTransaction('derived'),
      apiKey: 'gh_key',
      fingerprintWith: (token: string) => `body ${token}`,
      restore,
    };
    let made = 0;
    const run = () =>
      idempotency.run(request, async (attempt) => {
        const derived = attempt.derive();
        assert.ok(derived !== null);
        made += 1;
        const link = {
          id: `link ${made}`,
          space_id: SPACE,
          token_hash: tokenHashUnlessUsed(derived.guard, store.isExclusive),
          token_prefix: '',
          payload: '{}',
          exp: 1,
          created_at: now,
          request_hash: derived.requestHash,
        };
        await store.writeAtomically([store.db.insertInto('links').values(link)]);
        return derived.token;
      });
    const { answer: first, isReplay } = await run();
    assert.equal(isReplay, false);
    for (const wait of [0, REPLAY_MS / 2, REPLAY_MS / 2 - 1]) {
      now += wait;
      assert.deepEqual(await run(), { isReplay: true, answer: { ...ANSWER, text: first } });
    }
    now += 1;
    const second = await run();
    assert.equal(second.isReplay, false);
    assert.notEqual(second.answer, first);
    assert.deepEqual(await run(), { isReplay: true, answer: { ...ANSWER, text: second.answer } });
  });

  test('a response that concerns a person can be removed with a write of another transaction', async () => {
    const idempotency = open();
    for (const [key, sub] of [
      ['ada 1', 'ada'],
      ['ada 2', 'ada'],
      ['bob', 'bob'],
    ] as const)
      await idempotency.run(requestOf(key), storing({ spaceId: SPACE, sub }));
    await idempotency.run(requestOf('elsewhere'), storing({ spaceId: 'other', sub: 'ada' }));
    const before = await rows();
    await store.writeAtomically([idempotency.removalOf(SPACE, 'ada')]);
    assert.equal(await rows(), before - 2);
    assert.equal((await idempotency.run(requestOf('bob'), storing())).isReplay, true);
    assert.equal((await idempotency.run(requestOf('elsewhere'), storing())).isReplay, true);
  });

  test('the job removes expired responses only', async () => {
    await store.db.deleteFrom('idempotent_responses').execute();
    const idempotency = open();
    for (let key = 0; key < 3; key += 1) await idempotency.run(requestOf(`old ${key}`), storing());
    now += REPLAY_MS;
    await idempotency.run(requestOf('new'), storing());
    await idempotency.start();
    for (let tries = 0; tries < 500 && (await rows()) > 1; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await idempotency[Symbol.asyncDispose]();
    assert.equal(await rows(), 1);
    assert.equal((await idempotency.run(requestOf('new'), storing())).isReplay, true);
  });

  test('the limit counts the responses of one caller, and responses that expire make room', async () => {
    const caller = 'key limited';
    const idempotency = open(3);
    const run = (key: string) => idempotency.run(requestOf(key, 'body', caller), storing());
    for (const key of ['1', '2', '3']) await run(key);
    await assert.rejects(run('4'), (error) => error instanceof ApiError && error.status === 429);
    assert.equal((await run('3')).isReplay, true);
    await idempotency.run(requestOf('4'), storing());
    await store.db.deleteFrom('idempotent_responses').where('caller', '=', caller).execute();
    await assert.rejects(run('4'));
    now += 10_000;
    assert.equal((await run('4')).isReplay, false);
  });
});
