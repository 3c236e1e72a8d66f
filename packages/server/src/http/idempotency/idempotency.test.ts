import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@gatehouse/contract';
import type { Updateable } from 'kysely';
import { createKeyedLinks } from '../../links/links/keyed-link.repository.ts';
import { createLinkRepository } from '../../links/links/link.repository.ts';
import { hashOf, TokenSource } from '../../links/links/link-token.rules.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { type LinkRow, runWrites, type Store } from '../../storage/ports/index.ts';
import { selectorHashOf } from './derived-token.rules.ts';
import { createIdempotency, type Idempotency } from './idempotency.service.ts';
import type { Attempt } from './keyed-request.ts';
import { REPLAY_MS } from './replays.service.ts';

const SECRET = Buffer.alloc(32, 7);
const RESPONSE = { status: 201, headers: {}, text: '{"id":1}' };
const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';

function linkOf(id: string, tokenHash: string, now: number) {
  return {
    id,
    space_id: SPACE,
    token_hash: tokenHash,
    token_prefix: '',
    sub: null,
    payload: '{}',
    user_information: null,
    bot_id: null,
    exp: 1,
    created_at: now,
    restricted: 0,
    warnings: '[]',
    creator_kind: null,
    creator_id: null,
    creator_session: null,
    creator_address: null,
    has_permission_filter: null,
  };
}

/** Repeats a request while it gets 409, because PostgreSQL releases the semaphore of a finished request a moment later. */
async function afterRelease<Result>(run: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      await sleep(10);
    }
  }
}

describe('idempotency', () => {
  let store: Store;
  let now = 1_800_000_000_000;
  const errors: unknown[] = [];
  before(async () => {
    store = await openNewStore();
  });
  after(async () => {
    await store[Symbol.asyncDispose]();
    assert.deepEqual(errors, []);
  });

  const open = (maxPerCaller = 0, secret = SECRET): Idempotency =>
    createIdempotency({
      db: store.db,
      resources: createKeyedLinks(store.db),
      semaphores: store.shared.semaphores,
      leases: store.leases,
      clock: () => now,
      secret,
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
    requestHash: () => '',
    restore: null,
  });
  const oneTransaction = (key: string) => ({ ...requestOf(key), isOneTransaction: true });
  const storing = (owner: { spaceId: string | null; sub?: string } = { spaceId: SPACE }) => {
    return async (attempt: Attempt) => {
      await attempt.store('body', RESPONSE, owner);
      return 'made';
    };
  };
  const rows = async () => {
    const found = await store.db.selectFrom('idempotent_responses').selectAll().execute();
    return found.length;
  };

  test('replays a response until 24 hours have passed, and then runs the request again', async () => {
    const idempotency = open();
    const run = () => afterRelease(() => idempotency.run(requestOf('expiring'), storing()));
    assert.deepEqual(await run(), { isReplay: false, response: 'made' });
    now += REPLAY_MS - 1;
    assert.deepEqual(await run(), { isReplay: true, response: RESPONSE });
    now += 1;
    assert.deepEqual(await run(), { isReplay: false, response: 'made' });
    assert.deepEqual(await run(), { isReplay: true, response: RESPONSE });
  });

  test('a second response with one key rolls back its transaction and replays the first response', async () => {
    const idempotency = open();
    let userExists = true;
    const outcome = await idempotency.run(requestOf('lost'), async (attempt) => {
      // Another replica stores its response although this replica holds the semaphore.
      await attempt.store('body', RESPONSE, { spaceId: null });
      return store.db.transaction().execute(async (trx) => {
        const space = { id: 'rolled back', name: 'x', created_at: 1 };
        await trx.insertInto('spaces').values(space).execute();
        await runWrites(
          trx,
          attempt.writes('body', { ...RESPONSE, text: null }, { spaceId: null }),
        );
      });
    });
    assert.deepEqual(outcome, { isReplay: true, response: RESPONSE });
    const space = store.db.selectFrom('spaces').where('id', '=', 'rolled back').select('id');
    userExists = (await space.executeTakeFirst()) !== undefined;
    assert.equal(userExists, false);
  });

  test('an operation of one transaction replays its response until 24 hours have passed, and then runs again', async () => {
    const idempotency = open();
    const run = () => idempotency.run(oneTransaction('one transaction'), storing());
    assert.deepEqual(await run(), { isReplay: false, response: 'made' });
    now += REPLAY_MS - 1;
    assert.deepEqual(await run(), { isReplay: true, response: RESPONSE });
    now += 1;
    assert.deepEqual(await run(), { isReplay: false, response: 'made' });
    assert.deepEqual(await run(), { isReplay: true, response: RESPONSE });
  });

  test('an operation of one transaction that has become invalid replays its response', async () => {
    const idempotency = open();
    const failing = () => Promise.reject(new Error('the request is no longer valid'));
    await assert.rejects(idempotency.run(oneTransaction('invalid'), failing));
    await idempotency.run(oneTransaction('invalid'), storing());
    const outcome = await idempotency.run(oneTransaction('invalid'), failing);
    assert.deepEqual(outcome, { isReplay: true, response: RESPONSE });
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

  describe('a link that is the record of its request', () => {
    let made = 0;
    before(() => addSpace(store, SPACE));
    const requestForLink = (key: string, body = 'body', apiKey = 'gh_key') => ({
      ...oneTransaction(key),
      caller: `key ${apiKey}`,
      apiKey: { text: apiKey, spaceId: SPACE },
      requestHash: (secret: string) => hash('sha256', `${secret}${body}`, 'base64url').slice(20),
      restore: ({ token }: { token: string }) => ({ ...RESPONSE, text: token }),
    });
    /** Creates a link and returns its token, or the token that is replayed. */
    const run = async (
      request: ReturnType<typeof requestForLink>,
      idempotency = open(),
    ): Promise<{ token: string | null; isReplay: boolean }> => {
      const outcome = await idempotency.run(request, async (attempt) => {
        made += 1;
        const id = `link ${made}`;
        const recorded = attempt.record();
        const token = recorded?.token ?? new TokenSource().newToken(SPACE);
        const writes = recorded === null ? attempt.writes : () => [];
        const link = linkOf(id, recorded?.selectorHash ?? hashOf(token), now);
        const insertion = createLinkRepository(store.db, store.isExclusive).insertion(
          link,
          recorded,
        );
        const fingerprint = await request.fingerprint();
        const response = { ...RESPONSE, text: token };
        await store.writeAtomically([
          insertion,
          ...writes(fingerprint, response, { spaceId: SPACE }),
        ]);
        return token;
      });
      const { isReplay, response } = outcome;
      return { token: isReplay ? response.text : response, isReplay };
    };

    const hashesOf = (token: string | null) => [hashOf(token ?? ''), selectorHashOf(token ?? '')];
    const change = ({ token }: { token: string | null }, values: Updateable<LinkRow>) =>
      store.db
        .updateTable('links')
        .where('token_hash', 'in', hashesOf(token))
        .set(values)
        .execute();

    test('is returned for 24 hours, and then replaced', async () => {
      const request = requestForLink('daily');
      const first = await run(request);
      assert.equal(first.isReplay, false);
      for (const wait of [0, REPLAY_MS / 2, REPLAY_MS / 2 - 1]) {
        now += wait;
        assert.deepEqual(await run(request), { ...first, isReplay: true });
      }
      now += 1;
      const second = await run(request);
      assert.equal(second.isReplay, false);
      assert.notEqual(second.token, first.token);
      assert.deepEqual(await run(request), { ...second, isReplay: true });
      now += REPLAY_MS;
      const third = await run(request);
      assert.equal(third.isReplay, false);
      assert.ok(third.token !== second.token && third.token !== first.token);
    });

    test('is found by a replica whose clock is an hour behind or ahead, also at midnight', async () => {
      now = Math.ceil(now / REPLAY_MS) * REPLAY_MS;
      const request = requestForLink('clocks');
      const first = await run(request);
      for (const difference of [-3_600_000, 3_600_000]) {
        now += difference;
        assert.deepEqual(await run(request), { ...first, isReplay: true });
        now -= difference;
      }
    });

    test('gets the same token again if it was lost, for example by a restore, and the request is repeated', async () => {
      const request = requestForLink('restored');
      const first = await run(request);
      await store.db.deleteFrom('links').where('token_hash', 'in', hashesOf(first.token)).execute();
      assert.deepEqual(await run(request), first);
    });

    test('is not opened by the token of a link that was lost, even if the Idempotency-Key is used for another request', async () => {
      const lost = await run(requestForLink('reused', 'for one person'));
      const links = createLinkRepository(store.db);
      await store.db.deleteFrom('links').where('token_hash', 'in', hashesOf(lost.token)).execute();
      const made = await run(requestForLink('reused', 'for another person'));
      assert.equal(made.isReplay, false);
      assert.notEqual(await links.findLifetimeByToken(made.token ?? ''), null);
      assert.equal(await links.findLifetimeByToken(lost.token ?? ''), null);
    });

    test('is replaced by a link with another token after its person was erased', async () => {
      const request = requestForLink('erased');
      const first = await run(request);
      await change(first, { token_check: null });
      const second = await run(request);
      assert.equal(second.isReplay, false);
      assert.notEqual(second.token, first.token);
      assert.deepEqual(await run(request), { ...second, isReplay: true });
    });

    test('is the same revoked link when the request is repeated', async () => {
      const request = requestForLink('revoked');
      const first = await run(request);
      await change(first, { revoked_at: now });
      assert.deepEqual(await run(request), { ...first, isReplay: true });
      const found = await createLinkRepository(store.db).findLifetimeByToken(first.token ?? '');
      assert.equal(found?.revokedAt, now);
    });

    test('belongs to one API key', async () => {
      const one = await run(requestForLink('shared', 'body', 'gh_one'));
      const other = await run(requestForLink('shared', 'body', 'gh_other'));
      assert.equal(other.isReplay, false);
      assert.notEqual(other.token, one.token);
    });

    test('is not returned for another request', async () => {
      await run(requestForLink('other body'));
      await assert.rejects(
        run(requestForLink('other body', 'changed')),
        (error) => error instanceof ApiError && error.status === 422,
      );
    });

    test('is not returned after the secret was replaced, and a repetition creates another link', async () => {
      const request = requestForLink('replaced secret');
      const first = await run(request);
      const second = await run(request, open(0, Buffer.alloc(32, 8)));
      assert.equal(second.isReplay, false);
      assert.notEqual(second.token, first.token);
    });
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
