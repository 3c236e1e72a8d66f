import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { checkSecret, replaceSecret } from './installation.service.ts';

test('a database accepts only its first secret until the operator replaces the secret', async () => {
  await using store = await openNewStore();
  const { db } = store;
  const candidates = Array.from({ length: 4 }, () => randomBytes(32));
  const outcomes = await Promise.all(candidates.map((secret) => checkSecret(db, secret)));
  const taken = candidates.filter((_, index) => outcomes[index]);
  assert.equal(taken.length, 1);
  const [own = Buffer.alloc(0)] = taken;
  assert.ok(await checkSecret(db, own));
  const other = randomBytes(32);
  assert.ok(!(await checkSecret(db, other)));
  await replaceSecret(db, other);
  assert.ok(await checkSecret(db, other));
  assert.ok(!(await checkSecret(db, own)));
  const rows = JSON.stringify(await db.selectFrom('installation').selectAll().execute());
  for (const secret of [own, other])
    for (const encoding of ['base64url', 'base64', 'hex'] as const)
      assert.ok(!rows.includes(secret.toString(encoding)));
});
