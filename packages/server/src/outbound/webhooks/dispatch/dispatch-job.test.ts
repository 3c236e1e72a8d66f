import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../../tests/support/until.ts';
import { createSealer } from '../../../platform/secrets/index.ts';
import type { Term } from '../../../storage/ports/index.ts';
import { ACCESS, createTarget, openDispatch, SPACE, status } from './dispatch.suite.ts';
import { DispatchJob } from './dispatch-job.ts';
import type { DispatcherDeps } from './dispatcher.service.ts';

/** Starts a job whose term ends when the test calls `lose`. */
function startJob(deps: DispatcherDeps) {
  const term = { held: true };
  const { signal } = new AbortController();
  const given: Term = { signal, isHeld: () => term.held, fence: [] };
  const job = new DispatchJob(deps, given);
  return {
    job,
    lose: () => {
      term.held = false;
    },
    isOpen: (id: string) => job.outboxes.get(id) !== undefined,
    [Symbol.asyncDispose]: () => job.stop(),
  };
}

test('detects changes that other processes make to subscriptions', async () => {
  const target = createTarget();
  await using dispatch = await openDispatch({ sender: target.sender });
  const { subscriptions } = dispatch;
  const [one, other] = [await dispatch.subscribe(), await dispatch.subscribe()];
  await using started = startJob(dispatch.deps);
  const { job, isOpen } = started;
  const isOneOpen = () => isOpen(one.subscriptionId);
  await until('both outboxes are open', () => isOneOpen() && isOpen(other.subscriptionId));

  await subscriptions.change(ACCESS, one.subscriptionId, { state: 'disabled' }, null);
  job.onHint();
  await until('the disabled outbox is closed', () => !isOneOpen());
  await subscriptions.change(ACCESS, one.subscriptionId, { state: 'active' }, null);
  job.onHint();
  await until('the outbox is open again', isOneOpen);

  const before = job.outboxes.get(one.subscriptionId);
  const untouched = job.outboxes.get(other.subscriptionId);
  await subscriptions.change(ACCESS, one.subscriptionId, { url: 'https://b.example/' }, null);
  job.onHint();
  await until('the changed outbox is reopened', () => {
    const now = job.outboxes.get(one.subscriptionId);
    return now !== undefined && now !== before;
  });
  assert.equal(job.outboxes.get(other.subscriptionId), untouched);

  await subscriptions.remove(ACCESS, one.subscriptionId);
  job.onHint();
  await until('the deleted outbox is closed', () => !isOneOpen());
});

test('keeps the outbox of a subscription that is created during a comparison', async () => {
  const target = createTarget(() => new Promise(() => {}));
  await using dispatch = await openDispatch({ sender: target.sender });
  const [isRead, mayReturn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const subscriptions = {
    ...dispatch.subscriptions,
    active: async () => {
      const rows = await dispatch.subscriptions.active();
      isRead.resolve();
      await mayReturn.promise;
      return rows;
    },
  };
  await using started = startJob({ ...dispatch.deps, subscriptions });
  const { reconciler, outboxes } = started.job;
  await isRead.promise;
  const key = await dispatch.subscribe();
  await reconciler.reload(key);
  const opened = outboxes.get(key.subscriptionId);
  assert.ok(opened !== undefined);
  mayReturn.resolve();
  await sleep(500);
  assert.equal(outboxes.get(key.subscriptionId), opened);
});

test('detects deliveries that another process resent', async () => {
  const target = createTarget(() => status(500));
  await using dispatch = await openDispatch({ sender: target.sender, random: () => 0 });
  const key = await dispatch.subscribe();
  await using started = startJob(dispatch.deps);
  await dispatch.append({ id: '1' });
  const { deliveries, clock } = dispatch;
  await until('the delivery waits', async () => (await deliveries.totals(key)).waiting === 1);
  target.answer = () => status(204);
  const [row] = await deliveries.waiting(key);
  // The delivery is due in one second, but the clock is stopped.
  await deliveries.retryNow(key, row?.position ?? 0, clock.now);
  started.job.onHint();
  await until('the event is delivered', () => target.arrivals.length === 2);
});

test('reports the end of a subscription only if it was active until its target answered 410', async () => {
  const target = createTarget();
  await using dispatch = await openDispatch({ sender: target.sender });
  const [disabled, active] = [await dispatch.subscribe(), await dispatch.subscribe()];
  target.answer = async () => {
    await dispatch.subscriptions.change(
      ACCESS,
      disabled.subscriptionId,
      { state: 'disabled' },
      null,
    );
    return status(410);
  };
  await using started = startJob(dispatch.deps);
  await until('both outboxes are open', () => [...started.job.outboxes].length === 2);
  await dispatch.append({ id: '1' });
  await until('both outboxes are closed', () => [...started.job.outboxes].length === 0);
  assert.deepEqual(dispatch.events, [{ kind: 'ended', subscription: active }]);
});

test('closes the outboxes of a deleted space, including an outbox that is still opening', async () => {
  const target = createTarget();
  await using dispatch = await openDispatch({ sender: target.sender });
  const keys = [await dispatch.subscribe(), await dispatch.subscribe()];
  await using started = startJob(dispatch.deps);
  const [first, second] = keys.map(({ subscriptionId }) => subscriptionId);
  await until('one outbox is open', () => started.isOpen(first ?? ''));
  const { reconciler } = started.job;
  const reloading = reconciler.reload({ spaceId: SPACE, subscriptionId: second ?? '' });
  await dispatch.store.db.deleteFrom('spaces').where('id', '=', SPACE).execute();
  reconciler.removeSpace(SPACE);
  await reloading;
  await until('no outbox is open', () => [...started.job.outboxes].length === 0);
});

test('a stopping job waits for attempts in flight and stores their outcomes', async () => {
  const target = createTarget();
  await using dispatch = await openDispatch({ sender: target.sender });
  const { subscriptionId } = await dispatch.subscribe();
  {
    await using started = startJob(dispatch.deps);
    await until('the outbox is open', () => started.isOpen(subscriptionId));
    const answer = Promise.withResolvers<void>();
    target.answer = async () => {
      await answer.promise;
      return status(204);
    };
    await dispatch.append({ id: '1' });
    await until('the attempt is in flight', () => target.arrivals.length === 1);
    const ending = started.job.stop();
    await sleep(20);
    answer.resolve();
    await ending;
  }
  const row = await dispatch.subscriptions.find(ACCESS, subscriptionId);
  assert.ok((row?.position ?? 0) > 0);
  assert.equal(row?.last_delivered_at, dispatch.clock.now);
});

test('a stopping job stores the outcomes of deliveries behind unfinished deliveries', async () => {
  const target = createTarget();
  await using dispatch = await openDispatch({ sender: target.sender });
  const key = await dispatch.subscribe();
  const slow = Promise.withResolvers<void>();
  target.answer = async () => {
    if (target.arrivals.length === 1) await slow.promise;
    return status(204);
  };
  const events = Array.from({ length: 20 }, (_, index) => ({
    id: `${index}`,
    subject: index < 2 ? 'slow' : `${index}`,
  }));
  {
    await using started = startJob(dispatch.deps);
    await until('the outbox is open', () => started.isOpen(key.subscriptionId));
    await dispatch.append(...events);
    // The second event waits behind the first.
    await until('19 events are sent', () => target.arrivals.length === 19);
    const ending = started.job.stop();
    await sleep(50);
    slow.resolve();
    await ending;
  }
  assert.equal((await dispatch.deliveries.totals(key)).waiting, 1);
  await using restarted = startJob(dispatch.deps);
  await until('the outbox is open', () => restarted.isOpen(key.subscriptionId));
  await until('the second event is sent', () => target.ids().includes('1'));
  await until(
    'all deliveries are finished',
    async () => (await dispatch.deliveries.totals(key)).waiting === 0,
  );
  assert.equal(target.arrivals.length, events.length);
});

test('a stopping job does not wait until all expired deliveries are removed', async () => {
  await using dispatch = await openDispatch({ sender: createTarget().sender });
  const isRemoving = Promise.withResolvers<void>();
  const successful: DispatcherDeps['successful'] = {
    ...dispatch.deps.successful,
    removeBefore: async (_, signal) => {
      isRemoving.resolve();
      while (!signal.aborted) await sleep(1);
    },
  };
  const started = startJob({ ...dispatch.deps, successful });
  await isRemoving.promise;
  await started.job.stop();
});

test('an outbox that closes with unsaved outcomes ends if its subscription is deleted', async () => {
  const delivered = Promise.withResolvers<void>();
  const { sender } = createTarget();
  await using dispatch = await openDispatch({ sender, count: () => delivered.resolve() });
  const key = await dispatch.subscribe();
  await using started = startJob(dispatch.deps);
  await until('the outbox is open', () => started.isOpen(key.subscriptionId));
  const outbox = started.job.outboxes.get(key.subscriptionId);
  await dispatch.append({ id: '1' });
  await delivered.promise;
  const closing = outbox?.close(0);
  started.job.reconciler.remove(key);
  await closing;
  assert.ok(!started.isOpen(key.subscriptionId));
  assert.deepEqual(await dispatch.deps.successful.list(key, null, 0, 10), []);
});

test('a job that has lost its lease sends nothing, stores nothing and does not wait for attempts in flight', async () => {
  const target = createTarget(() => new Promise(() => {}));
  await using dispatch = await openDispatch({ sender: target.sender });
  const { subscriptionId } = await dispatch.subscribe();
  {
    await using started = startJob(dispatch.deps);
    await until('the outbox is open', () => started.isOpen(subscriptionId));
    await dispatch.append({ id: '1' });
    await until('the attempt is in flight', () => target.arrivals.length === 1);
    started.lose();
    await dispatch.append({ id: '2', subject: 'other' });
    const [outbox] = started.job.outboxes;
    await outbox?.readPage(new AbortController().signal);
  }
  assert.deepEqual(target.ids(), ['1']);
  const row = await dispatch.subscriptions.find(ACCESS, subscriptionId);
  assert.equal(row?.position, 0);
});

test('reports each unreadable secret once', async () => {
  const target = createTarget();
  await using dispatch = await openDispatch({ sender: target.sender });
  const otherSealer = createSealer(randomBytes(32), 'subscriptions');
  const key = await dispatch.subscribe(otherSealer);
  await using started = startJob(dispatch.deps);
  const { reconciler } = started.job;
  await until('the secret is reported', () => dispatch.events.length > 0);
  await reconciler.reload(key);
  await dispatch.subscriptions.change(ACCESS, key.subscriptionId, { types: null }, null);
  await reconciler.reload(key);
  const expected = { kind: 'unreadable-secret', subscription: key } as const;
  assert.deepEqual(dispatch.events, [expected]);
  assert.ok(!started.isOpen(key.subscriptionId));

  await dispatch.giveNewSecret(key);
  await reconciler.reload(key);
  assert.ok(started.isOpen(key.subscriptionId));
  await dispatch.giveNewSecret(key, otherSealer);
  await reconciler.reload(key);
  assert.deepEqual(dispatch.events, [expected, expected]);
});

test('reports once that a target fails and once that it has recovered', async () => {
  const target = createTarget(() => status(500));
  await using dispatch = await openDispatch({ sender: target.sender, random: () => 0 });
  const key = await dispatch.subscribe();
  await using started = startJob(dispatch.deps);
  await until('the outbox is open', () => started.isOpen(key.subscriptionId));
  const events = Array.from({ length: 40 }, (_, index) => ({
    id: `${index}`,
    subject: `${index}`,
  }));
  await dispatch.append(...events);
  await until('the failure is reported', () => dispatch.events.length > 0);
  target.answer = () => status(204);
  await until('all events are delivered', async () => {
    dispatch.clock.now += 10_000;
    const { waiting } = await dispatch.deliveries.totals(key);
    return new Set(target.ids()).size === events.length && waiting === 0;
  });
  assert.deepEqual(
    dispatch.events.map(({ kind, subscription }) => ({ kind, subscription })),
    [
      { kind: 'failing', subscription: key },
      { kind: 'recovered', subscription: key },
    ],
  );
});
