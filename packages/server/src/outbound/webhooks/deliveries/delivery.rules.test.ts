import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryId, positionOf } from './delivery.rules.ts';

const ID = '0199f3a2-b1c4-7d20-9e5a-4f8c1d3b7a62';

test('converts a delivery ID to its position for the right subscription only', () => {
  const id = deliveryId(ID, 1001);
  assert.match(id, /^msg_[0-9a-f]{32}_1001$/);
  assert.equal(positionOf(id, ID), 1001);
  assert.equal(positionOf(id, ID.replace('a62', 'a63')), null);
  for (const wrong of ['', 'msg_1', `${id}0.5`, id.replace('_1001', '_01001'), `${id} `, '1001'])
    assert.equal(positionOf(wrong, ID), null, wrong);
});
