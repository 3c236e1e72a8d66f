import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';
import { documentNumber } from './numbers.ts';

test('a document uses up none of the numbers that spaces have', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const { index } = store.knowledge;
  for (let ordinal = 1; ordinal <= 10; ordinal += 1)
    assert.equal(await index.nextNumber('first'), documentNumber(1, ordinal));
  assert.equal(await index.nextNumber('second'), documentNumber(2, 1));
});
