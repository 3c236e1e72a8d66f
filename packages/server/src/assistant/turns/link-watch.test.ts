import assert from 'node:assert/strict';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import { LinkWatches } from './link-watch.ts';

const LINK = { linkId: 'a', storedSpaceFilter: null };
const REVOKED = new ApiError({ status: 410, code: 'links.revoked', message: 'Revoked.' });

let query: () => Promise<void>;
let queries = 0;
let visible: readonly string[] = [];
let asked: (readonly string[])[] = [];
beforeEach(() => {
  visible = [];
  asked = [];
  query = async () => {};
  queries = 0;
});

function watches(t: { mock: TestContext['mock'] }) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const all = new LinkWatches({
    confirm: () => {
      queries += 1;
      return query();
    },
    visible: async (_, ids) => {
      asked.push(ids);
      return new Map(visible.map((id) => [id, null]));
    },
  });
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      t.mock.timers.tick(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { all, pass };
}

describe('the link watch of a running answer', () => {
  test('sends no query while another query is in flight', async (t) => {
    const { all, pass } = watches(t);
    const { promise, resolve } = Promise.withResolvers<void>();
    query = () => promise;
    using _watch = all.watch(LINK);
    await pass(5);
    assert.equal(queries, 1);
    resolve();
    await pass(2);
    assert.ok(queries >= 2);
  });

  test('sends separate queries for answers that started under different filters of the space', async (t) => {
    const { all, pass } = watches(t);
    using _one = all.watch(LINK);
    using _other = all.watch({ ...LINK, storedSpaceFilter: '{}' });
    await pass(3);
    assert.equal(queries, 6);
  });

  test('shares one query among all answers of a link until the last answer has ended', async (t) => {
    const { all, pass } = watches(t);
    const [first, second] = [all.watch(LINK), all.watch(LINK)];
    using _other = all.watch({ ...LINK, linkId: 'b' });
    await pass(3);
    assert.equal(queries, 6);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await pass(3);
    assert.equal(queries, 12);
    second[Symbol.dispose]();
    await pass(3);
    assert.equal(queries, 15);
  });

  test('retries a failed query while the answer continues', async (t) => {
    const { all, pass } = watches(t);
    using watch = all.watch(LINK);
    for (let outage = 0; outage < 3; outage++) {
      query = async () => assert.fail('the store is busy');
      await pass(8);
      query = async () => {};
      await pass(1);
    }
    assert.equal(watch.signal.aborted, false);
    assert.equal(queries, 27);
  });

  test('ends the answer if all queries fail for ten seconds', async (t) => {
    const { all, pass } = watches(t);
    const problem = new Error('the store is gone');
    query = () => Promise.reject(problem);
    using watch = all.watch(LINK);
    await pass(9);
    assert.equal(watch.signal.aborted, false);
    await pass(1);
    assert.equal(watch.signal.aborted, true);
    assert.equal(watch.signal.reason.cause, problem);
    const sent = queries;
    await pass(3);
    assert.equal(queries, sent);
  });

  test('ends the answer if one query hangs for ten seconds', async (t) => {
    const { all, pass } = watches(t);
    query = () => new Promise(() => {});
    using watch = all.watch(LINK);
    await pass(10);
    assert.equal(watch.signal.aborted, true);
  });

  test('ends every answer of a revoked link with the reason, and does not end answers of other links', async (t) => {
    const { all, pass } = watches(t);
    const answers = [all.watch(LINK), all.watch(LINK)];
    await pass(1);
    query = () => Promise.reject(REVOKED);
    await pass(1);
    for (const { signal } of answers) assert.equal(signal.reason, REVOKED);
    query = async () => {};
    using later = all.watch(LINK);
    for (const answer of answers) answer[Symbol.dispose]();
    await pass(1);
    assert.equal(later.signal.aborted, false);
    assert.equal(queries, 3);
  });

  test('ends only the answers to which a document was available that became invisible', async (t) => {
    const { all, pass } = watches(t);
    visible = ['one', 'two'];
    using first = all.watch(LINK, () => ['one']);
    using second = all.watch(LINK, () => ['one', 'two']);
    await pass(2);
    assert.deepEqual(asked, [
      ['one', 'two'],
      ['one', 'two'],
    ]);
    visible = ['one'];
    await pass(1);
    assert.equal(first.signal.aborted, false);
    assert.equal(second.signal.reason.code, 'chat.permissions-changed');
  });

  test('reads no documents for answers without documents', async (t) => {
    const { all, pass } = watches(t);
    using watch = all.watch(LINK);
    await pass(2);
    assert.deepEqual([asked, watch.signal.aborted], [[], false]);
  });
});
