import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { createRejectionRepository, MAX_REJECTED } from './rejection.repository.ts';
import type { Rejection } from './rejection.rules.ts';
import { BURST, RejectionLog } from './rejection-log.ts';

const NOW = Date.UTC(2026, 9, 18);
const DAY = 86_400_000;

describe('the log of rejections', async () => {
  const store = await openNewStore();
  after(() => store[Symbol.asyncDispose]());
  const repository = createRejectionRepository(store.db);

  async function opened() {
    const spaceId = randomUUIDv7();
    await addSpace(store, spaceId);
    const clock = { now: NOW };
    const result = { dropped: 0 };
    const log = new RejectionLog({
      repository,
      clock: () => clock.now,
      retentionDays: 7,
      onDropped: (count) => {
        result.dropped += count;
      },
      onError: (error) => assert.fail(String(error)),
    });
    const add = (count: number, changes: Partial<Rejection> = {}) => {
      for (let added = 0; added < count; added += 1)
        log.add({
          spaceId,
          reason: 'invalid',
          problem: 'type: is required',
          status: null,
          sender: { kind: 'signature', id: null },
          event: { index: added, id: null, source: null, type: null },
          ...changes,
        });
    };
    const rows = (since = 0) => repository.list(spaceId, null, since, 2 * MAX_REJECTED);
    return { spaceId, clock, result, log, add, rows };
  }

  test('records a burst, then ten rejections per second', async () => {
    const { clock, result, log, add, rows } = await opened();
    await using _ = log;
    add(BURST + 5);
    assert.equal(result.dropped, 5);
    clock.now += 1500;
    add(20);
    assert.equal(result.dropped, 10);
    await log.flush();
    assert.equal((await rows()).length, BURST + 15);
  });

  test('retains the newest entries of a space and limits their size', async () => {
    const { clock, log, add, rows } = await opened();
    await using _ = log;
    const id = 'ü'.repeat(100_000);
    for (let added = 0; added < MAX_REJECTED + 1000; added += BURST) {
      add(BURST, { problem: id, event: { index: added, id: null, source: null, type: null } });
      await log.flush();
      clock.now += 200_000;
    }
    const kept = await rows();
    assert.equal(kept.length, MAX_REJECTED);
    assert.ok(kept.every(({ details }) => details.length < 2000));
    assert.match(kept.at(-1)?.details ?? '', /"index":1000,/);
  });

  test('records no credential that was used as the name of a member', async () => {
    const { log, add, rows } = await opened();
    await using _ = log;
    const problem =
      'auth.gh_7Qm2kAxW1pZ0c9dEfGhIjKlMnOpQrS: unknown member; send application/cloudevents+json';
    add(1, { problem });
    await log.flush();
    const [row] = await rows();
    assert.ok(
      row?.details.includes('auth.[redacted]: unknown member; send application/cloudevents+json'),
    );
  });

  test('removes old entries, and ignores rejections of a deleted space', async () => {
    const { spaceId, clock, log, add, rows } = await opened();
    await using _ = log;
    add(1);
    clock.now += DAY;
    add(1);
    add(1, { spaceId: randomUUIDv7() });
    await log.flush();
    assert.equal((await rows()).length, 2);
    assert.equal((await rows(NOW + 1)).length, 1);
    await repository.removeBefore(NOW + 1);
    assert.equal((await rows()).length, 1);
    await store.db.deleteFrom('spaces').where('id', '=', spaceId).execute();
    assert.equal((await rows()).length, 0);
  });
});
