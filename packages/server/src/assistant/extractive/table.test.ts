import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableOf } from './table.ts';

test('returns columns and cells of rows, with an empty text for a missing cell', () => {
  assert.deepEqual(tableOf(['Country: Japan | Days: 5 to 8', 'Country: Peru | Price: 9: net']), {
    columns: ['Country', 'Days', 'Price'],
    rows: [
      ['Japan', '5 to 8', ''],
      ['Peru', '', '9: net'],
    ],
  });
});

test('returns null for rows without column names', () => {
  assert.equal(tableOf(['Japan | 5 to 8']), null);
});
