import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { LinkState } from '@gatehouse/contract';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import type { Store } from '../../storage/ports/index.ts';
import { stateOf } from './link.rules.ts';
import { createLinkListRepository, type LinkListRepository } from './link-list.repository.ts';

const NOW = 1_800_000_000_000;
const SPACE = 'space';
const OTHER = 'other';
const SECONDS = NOW / 1000;
/** `exp` and time of revocation. */
const LIFETIMES: readonly (readonly [number, number | null])[] = [
  [SECONDS + 60, null],
  [SECONDS + 1e12, null],
  [SECONDS + 60, null],
  [SECONDS + 0.5, null],
  [SECONDS, null],
  [SECONDS - 0.5, null],
  [SECONDS - 3600, null],
  [SECONDS - 3600, NOW - 1000],
  [SECONDS + 60, NOW - 1000],
  [SECONDS - 60, NOW - 3_600_000],
  [SECONDS + 30, NOW - 1000],
];
const COUNTS = { active: 4, expired: 4, revoked: 3 };
/** Longer than an index entry of PostgreSQL may be. */
const LONG_SUB = `${'é'.repeat(1000)}${'x'.repeat(5000)}`;

interface Inserted {
  readonly space: string;
  readonly sub: string | null;
  readonly exp: number;
  readonly revokedAt: number | null;
}

describe('the link list repository', () => {
  let store: Store;
  let links: LinkListRepository;
  before(async () => {
    store = await openNewStore();
    for (const space of [SPACE, OTHER]) await addSpace(store, space);
    links = createLinkListRepository(store.db);
    for (const space of [SPACE, OTHER])
      for (const sub of ['ada', 'bob', `${LONG_SUB}1`, `${LONG_SUB}2`, null])
        for (const [exp, revokedAt] of LIFETIMES) await insert({ space, sub, exp, revokedAt });
  });
  after(() => store[Symbol.asyncDispose]());

  const insert = (link: Inserted) => {
    const { space, sub, exp, revokedAt } = link;
    const id = randomUUIDv7();
    return store.db
      .insertInto('links')
      .values({
        id,
        space_id: space,
        token_hash: id,
        token_prefix: 'prefix',
        sub,
        payload: '{}',
        user_information: null,
        bot_id: null,
        exp,
        created_at: NOW,
        revoked_at: revokedAt,
      })
      .execute();
  };

  /** Reads all pages of a list of links that have a given state. */
  async function all(state: LinkState, sub?: string) {
    const found = [];
    for (let position: { exp: number; id: string } | null = null; ; ) {
      const which = { spaceId: SPACE, sub, count: 2 };
      const page: Awaited<ReturnType<typeof links.listByState>> = await links.listByState(
        which,
        { state, now: NOW },
        position,
      );
      found.push(...page);
      position = page.at(-1) ?? null;
      if (page.length < which.count) return found;
    }
  }

  for (const state of ['active', 'expired', 'revoked'] as const)
    for (const sub of [undefined, 'ada', `${LONG_SUB}2`])
      test(`returns exactly the ${state} links of ${sub?.slice(0, 3) ?? 'everybody'}, ordered by exp`, async () => {
        const every = await links.list({ spaceId: SPACE, sub, count: 1000 }, null);
        const expected = every
          .filter(({ exp, revoked_at }) => stateOf({ exp, revokedAt: revoked_at }, NOW) === state)
          .sort((a, b) => a.exp - b.exp || (a.id < b.id ? -1 : 1));
        assert.equal(expected.length, (sub === undefined ? 5 : 1) * COUNTS[state]);
        assert.deepEqual(await all(state, sub), expected);
      });

  test('returns the links of one `sub` in creation order, starting after a given ID', async () => {
    const which = { spaceId: SPACE, sub: 'bob', count: 3 };
    const first = await links.list(which, null);
    const second = await links.list({ ...which, count: 100 }, first.at(-1)?.id ?? null);
    const ids = [...first, ...second].map(({ id }) => id);
    assert.equal(ids.length, LIFETIMES.length);
    assert.deepEqual(ids, ids.toSorted());
    assert.ok(
      [...first, ...second].every(({ sub, space_id }) => sub === 'bob' && space_id === SPACE),
    );
  });

  test('revokes only the active links of one person in one space, and counts each link once', async () => {
    assert.equal(await links.revokeAllOf(SPACE, 'nobody', NOW), 0);
    assert.equal(await links.revokeAllOf(SPACE, `${LONG_SUB}1`, NOW + 7), COUNTS.active);
    assert.equal(await links.revokeAllOf(SPACE, `${LONG_SUB}1`, NOW + 8), 0);
    const changed = await store.db
      .selectFrom('links')
      .where('revoked_at', '=', NOW + 7)
      .select(['space_id', 'sub'])
      .execute();
    assert.equal(changed.length, COUNTS.active);
    assert.ok(changed.every((row) => row.space_id === SPACE && row.sub === `${LONG_SUB}1`));
    assert.equal((await all('active', `${LONG_SUB}2`)).length, COUNTS.active);
  });
});
