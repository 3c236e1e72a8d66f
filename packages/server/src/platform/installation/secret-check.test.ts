import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { acceptSecret, confirmSecret } from './secret-check.service.ts';

test('the first secret of a database becomes its own, and any other is refused until it is accepted', async () => {
  using place = await newStoreLocation();
  await using store = await place.open();
  const { db } = store;
  const candidates = Array.from({ length: 4 }, () => randomBytes(32));
  const outcomes = await Promise.allSettled(candidates.map((secret) => confirmSecret(db, secret)));
  const taken = candidates.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  assert.equal(taken.length, 1);
  const [own = Buffer.alloc(0)] = taken;
  await confirmSecret(db, own);
  const other = randomBytes(32);
  await assert.rejects(confirmSecret(db, other), { name: 'WrongSecret' });
  await acceptSecret(db, other);
  await confirmSecret(db, other);
  await assert.rejects(confirmSecret(db, own), { name: 'WrongSecret' });
  const rows = JSON.stringify(await db.selectFrom('installation').selectAll().execute());
  for (const secret of [own, other])
    for (const encoding of ['base64url', 'base64', 'hex'] as const)
      assert.ok(!rows.includes(secret.toString(encoding)));
});
