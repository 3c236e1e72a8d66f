import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import { matchAll } from '@gatehouse/filter';
import { until } from '../../../tests/support/until.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { WidgetCaller } from '../../links/index.ts';
import { createSealer } from '../../platform/secrets/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import type { Hints, Store } from '../../storage/ports/index.ts';
import { createMemorySemaphores } from '../../storage/single-process/index.ts';
import { addLink } from '../conversations/add-link.suite.ts';
import { createConversationRepository } from '../conversations/conversation.repository.ts';
import { createPageCalls } from '../tools/index.ts';
import type { Chunk } from '../turns/ui-stream.rules.ts';
import { createRunningAnswerRepository, RunningAnswers } from './index.ts';

const UNFOLLOWED_MS = 1000;
const CHAT = { spaceId: 'space', linkId: 'link', chatId: 'chat' };
const VISITOR = { spaceId: 'space', linkId: 'link' } as WidgetCaller;
const opened = new AsyncDisposableStack();
let store: Store;
let isRevoked = false;
let storedSpaceFilter: string | null = null;
const NAMED = {
  ...{ fileName: 'refunds.txt', mimeType: 'text/plain', title: 'Refunds', url: null },
  updatedAt: '2026-11-01T00:00:00.000Z',
};
/** The IDs of the documents that the link can see. */
const visible = new Set(['refunds']);
/** Two replicas share the tables and the secret of the installation. */
let running: RunningAnswers;
let other: RunningAnswers;
let openReplica: (clock?: Clock) => RunningAnswers;

before(async () => {
  store = opened.use(await openNewStore());
  await addSpace(store, 'space');
  await addLink(store, { spaceId: 'space', id: 'link' });
  const owner = { spaceId: 'space', name: 'link', linkId: 'link' };
  const repository = createConversationRepository(store.db, store.writeAtomically);
  const question = { id: 'question', sent_id: null, text: 'How long?', link_id: 'link' };
  const conversation = { id: 'conversation', chat_id: 'chat', title: 'How long?' };
  await repository.saveQuestion(owner, { conversation, question }, 1);
  const secret = randomBytes(32);
  openReplica = (clock = Date.now) => {
    const sealer = createSealer(secret, 'running answers');
    return new RunningAnswers({
      repository: createRunningAnswerRepository(store.db),
      pageCalls: createPageCalls({ db: store.db, clock, sealer }),
      links: {
        watch: async () => {
          if (isRevoked)
            throw new ApiError({ status: 410, code: 'links.revoked', message: 'Revoked.' });
          return { storedSpaceFilter };
        },
        filtersOf: async () => ({
          spaceFilter: matchAll,
          storedSpaceFilter,
          permissionFilter: matchAll,
          filter: matchAll,
        }),
      },
      documents: { named: async () => new Map([...visible].map((id) => [id, NAMED])) },
      semaphores: createMemorySemaphores(),
      hints: openHints(),
      sealer,
      clock,
      times: { pollMs: 10, unfollowedMs: UNFOLLOWED_MS, detachedMs: 200, staleMs: 2000 },
      onFailure: (error) => assert.fail(error as Error),
    });
  };
  running = openReplica();
  other = openReplica();
});
after(() => {
  running.end();
  other.end();
  return opened.disposeAsync();
});

const hintListeners: { readonly owner: Hints; readonly listen: (text: string) => void }[] = [];

/** Returns the hints of a replica, which the other replicas of this process receive. */
function openHints(): Hints {
  const hints: Hints = {
    publish: (_topic, text) => {
      for (const { owner, listen } of hintListeners) if (owner !== hints) listen(text);
    },
    subscribe: (_topic, listen) => hintListeners.push({ owner: hints, listen }),
  };
  return hints;
}

/** A turn whose parts the test sends. */
function openTurn(conversationId: string | null = 'conversation') {
  let next = Promise.withResolvers<string | null>();
  let taken = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  async function* run(gone: AbortSignal): AsyncGenerator<Chunk> {
    gone.addEventListener('abort', () => {
      stopped.resolve();
      next.resolve(null);
    });
    yield { type: 'start', messageId: 'answer', messageMetadata: { conversationId } };
    for (;;) {
      const delta = await next.promise;
      if (delta === null) return taken.resolve();
      next = Promise.withResolvers();
      yield { type: 'text-delta', id: 'answer', delta };
      taken.resolve();
    }
  }
  return {
    turn: {
      storedSpaceFilter: null,
      basis: () => ({ documents: ['refunds'], filterDigest: null }),
      run,
    },
    stopped: stopped.promise,
    say: async (delta: string | null) => {
      next.resolve(delta);
      await taken.promise;
      taken = Promise.withResolvers();
      // Readers take the part.
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}

const textOf = (chunks: readonly Chunk[]) =>
  chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('');
const never = () => new AbortController().signal;

test('an answer continues without its client, and another replica sends all of it', async () => {
  const { turn, say } = openTurn();
  const gone = new AbortController();
  const first = Array.fromAsync(running.run(CHAT, turn, gone.signal));
  await say('It takes ');
  gone.abort();
  assert.equal(textOf(await first), 'It takes ');
  const follow = await other.follow(VISITOR, 'conversation');
  assert.ok(follow);
  const rest = Array.fromAsync(follow(never()));
  await say('five ');
  await say('days.');
  const [row] = await store.db.selectFrom('running_answers').selectAll().execute();
  assert.ok(row !== undefined && !row.sealed.includes('days'));
  await say(null);
  assert.equal(textOf(await rest), 'It takes five days.');
  assert.equal(await other.follow(VISITOR, 'chat'), null);
});

test('only the link that asked finds the answer', async () => {
  const { turn, say, stopped } = openTurn();
  const chunks = Array.fromAsync(running.run(CHAT, turn, never()));
  await say('secret');
  for (const stranger of [
    { ...VISITOR, linkId: 'other' },
    { ...VISITOR, spaceId: 'other' },
  ]) {
    assert.equal(await other.follow(stranger as WidgetCaller, 'chat'), null);
    await other.stop({ ...CHAT, ...stranger });
  }
  assert.ok(await other.follow(VISITOR, 'chat'));
  await other.stop(CHAT);
  await stopped;
  await chunks;
});

test('a request to stop that arrives while an answer starts stops the answer', async () => {
  const preparing = openTurn();
  const askedAt = performance.now();
  await running.stop(CHAT, { requestedAt: askedAt + 1 });
  const early = Array.fromAsync(running.run(CHAT, preparing.turn, never(), askedAt));
  await preparing.stopped;
  assert.equal(textOf(await early), '');
  const starting = openTurn();
  const chunks = Array.fromAsync(running.run(CHAT, starting.turn, never()));
  await running.stop(CHAT);
  await starting.stopped;
  assert.equal(textOf(await chunks), '');
});

test('a request to stop on another replica stops an answer that has not started yet', async () => {
  for (const isStarted of [false, true]) {
    const { turn, stopped } = openTurn();
    const chat = { ...CHAT, chatId: `early ${isStarted}` };
    const askedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 10));
    const stop = () => other.stop(chat);
    if (!isStarted) await stop();
    const answer = Array.fromAsync(running.run(chat, turn, never(), askedAt));
    if (isStarted) await stop();
    await stopped;
    assert.equal(textOf(await answer), '');
  }
});

test('a request to stop does not stop an answer to a later question', async () => {
  await running.stop(CHAT);
  await other.stop(CHAT);
  await new Promise((resolve) => setTimeout(resolve, 10));
  const { turn, say, stopped } = openTurn();
  const chunks = Array.fromAsync(running.run(CHAT, turn, never()));
  await say('It takes ');
  await say('five days.');
  await say(null);
  assert.equal(textOf(await chunks), 'It takes five days.');
  assert.equal(await Promise.race([stopped.then(() => 'stopped'), 'running']), 'running');
});

test('an answer stops if nobody returns, and if a question follows that nobody reads', async () => {
  for (const chatId of ['alone', 'asked again']) {
    const { turn, say, stopped } = openTurn();
    const gone = new AbortController();
    const chunks = Array.fromAsync(running.run({ ...CHAT, chatId }, turn, gone.signal));
    await say('It ');
    // A client reads the answer.
    await other.stop({ ...CHAT, chatId }, { ifDetached: true });
    await say('takes ');
    gone.abort();
    await say('days.');
    if (chatId === 'asked again') await other.stop({ ...CHAT, chatId }, { ifDetached: true });
    await stopped;
    assert.equal(textOf(await chunks), 'It takes ');
  }
});

test('an answer that is not stored stops with its client', async () => {
  const { turn, say, stopped } = openTurn(null);
  const gone = new AbortController();
  const chunks = Array.fromAsync(running.run({ ...CHAT, chatId: 'unstored' }, turn, gone.signal));
  await say('It takes ');
  const rows = await store.db.selectFrom('running_answers').select('chat_id').execute();
  assert.ok(!rows.some(({ chat_id }) => chat_id === 'unstored'));
  gone.abort();
  await stopped;
  await chunks;
});

test('a client that returned reads no more after its link was revoked', async () => {
  const { turn, say } = openTurn();
  const gone = new AbortController();
  const chunks = Array.fromAsync(running.run({ ...CHAT, chatId: 'revoked' }, turn, gone.signal));
  await say('It takes ');
  const follow = await other.follow(VISITOR, 'revoked');
  assert.ok(follow);
  isRevoked = true;
  const read = await Array.fromAsync(follow(never()));
  isRevoked = false;
  assert.equal(textOf(read), '');
  assert.deepEqual(
    read.map(({ type }) => type),
    ['message-metadata', 'error'],
  );
  await say(null);
  await chunks;
});

test('a client that returned reads nothing of an answer under an earlier filter of the space', async () => {
  const { turn, say } = openTurn();
  const gone = new AbortController();
  const chunks = Array.fromAsync(running.run({ ...CHAT, chatId: 'filtered' }, turn, gone.signal));
  await say('It takes ');
  const follow = await other.follow(VISITOR, 'filtered');
  assert.ok(follow);
  storedSpaceFilter = '{"or":[]}';
  const read = await Array.fromAsync(follow(never()));
  storedSpaceFilter = null;
  const messageMetadata = { state: 'failed', code: 'chat.permissions-changed', retriable: true };
  assert.deepEqual(read[0], { type: 'message-metadata', messageMetadata });
  assert.deepEqual([read.length, read[1]?.type], [2, 'error']);
  await say(null);
  await chunks;
});

test('a client that returned reads nothing more after a document of the answer became invisible', async () => {
  const { turn, say } = openTurn();
  const gone = new AbortController();
  const chunks = Array.fromAsync(running.run({ ...CHAT, chatId: 'hidden' }, turn, gone.signal));
  await say('It takes ');
  const before = await other.follow(VISITOR, 'hidden');
  visible.delete('refunds');
  const after = await other.follow(VISITOR, 'hidden');
  for (const follow of [before, after]) {
    assert.ok(follow);
    const read = await Array.fromAsync(follow(never()));
    assert.equal(textOf(read), '');
    const messageMetadata = { state: 'failed', code: 'chat.permissions-changed', retriable: true };
    assert.deepEqual(read[0], { type: 'message-metadata', messageMetadata });
  }
  visible.add('refunds');
  await say(null);
  await chunks;
});

test('at most eight clients read an answer at the same time, and a stream that ends makes room', async () => {
  const { turn, say } = openTurn();
  const chunks = Array.fromAsync(running.run({ ...CHAT, chatId: 'popular' }, turn, never()));
  await say('It takes ');
  const gone = new AbortController();
  const streams = await Promise.all(
    Array.from({ length: 8 }, () => other.follow(VISITOR, 'popular')),
  );
  const reads = streams.map((follow) => follow && Array.fromAsync(follow(gone.signal)));
  await assert.rejects(other.follow(VISITOR, 'popular'), { code: 'chat.too-many-streams' });
  gone.abort();
  await Promise.all(reads);
  const next = await other.follow(VISITOR, 'popular');
  assert.ok(next);
  await say(null);
  await Promise.all([chunks, Array.fromAsync(next(never()))]);
});

test('parts are stored seldom while only the first client reads, and soon after another client follows', async () => {
  let now = Date.now();
  const answers = openReplica(() => now);
  const stored = store.db.selectFrom('running_answers').where('chat_id', '=', 'seldom');
  const sealed = async () => (await stored.select('sealed').executeTakeFirst())?.sealed;
  const { turn, say } = openTurn();
  const chunks = Array.fromAsync(answers.run({ ...CHAT, chatId: 'seldom' }, turn, never()));
  await say('It takes ');
  const first = await sealed();
  await say('five ');
  assert.equal(await sealed(), first);
  now += UNFOLLOWED_MS;
  await until('the parts are stored', async () => (await sealed()) !== first);
  const second = await sealed();
  assert.ok(await answers.follow(VISITOR, 'seldom'));
  await until('the parts are stored again', async () => (await sealed()) !== second);
  await say(null);
  await chunks;
  answers.end();
});

test('the next answer deletes the stored parts of a replica that stopped unexpectedly', async () => {
  const chatIds = async () => {
    const rows = await store.db.selectFrom('running_answers').select('chat_id').execute();
    return rows.map(({ chat_id }) => chat_id);
  };
  const stoppedReplica = openReplica(() => Date.now() - 60_000);
  const abandoned = openTurn();
  const chat = { ...CHAT, chatId: 'abandoned' };
  const lost = Array.fromAsync(stoppedReplica.run(chat, abandoned.turn, never()));
  await abandoned.say('It takes ');
  assert.ok((await chatIds()).includes('abandoned'));
  const replica = openReplica();
  const { turn, say } = openTurn();
  const chunks = Array.fromAsync(replica.run({ ...CHAT, chatId: 'next' }, turn, never()));
  await until('the parts are deleted', async () => !(await chatIds()).includes('abandoned'));
  assert.ok((await chatIds()).includes('next'));
  await abandoned.say(null);
  await say(null);
  await Promise.all([lost, chunks]);
  stoppedReplica.end();
  replica.end();
});

test('the stored parts are deleted with their conversation, and the answer stops', async () => {
  const { turn, say, stopped } = openTurn();
  const gone = new AbortController();
  const chunks = Array.fromAsync(running.run({ ...CHAT, chatId: 'deleted' }, turn, gone.signal));
  await say('It takes ');
  await store.db.deleteFrom('conversations').where('id', '=', 'conversation').execute();
  assert.deepEqual(await store.db.selectFrom('running_answers').selectAll().execute(), []);
  await stopped;
  await chunks;
});
