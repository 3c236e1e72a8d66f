import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MetadataRow, newRow, readRows, toRows, type ValueType } from './metadata-rows.ts';

const row = (name: string, type: ValueType, text: string): MetadataRow => ({
  ...newRow(),
  name,
  type,
  text,
});

test('metadata that is converted to rows and back is unchanged', () => {
  const metadata = {
    team: 'support',
    empty: '',
    level: 3,
    small: -1.5e-7,
    isPublic: false,
    audience: ['staff', 'board'],
    none: [],
    numbers: [1, 2],
    lines: ['one\ntwo', ' padded '],
    owner: { name: 'Ada', groups: [{ id: 1 }] },
    nothing: null,
    ['__proto__']: 'text',
  };
  const read = readRows(toRows(metadata));
  assert.ok(read.ok);
  assert.deepEqual(read.metadata, metadata);
});

test('a list of one-line texts is a list, and every other array is JSON', () => {
  const types = toRows({ a: ['x'], b: [], c: [1], d: ['x\ny'], e: [''] }).map(({ type }) => type);
  assert.deepEqual(types, ['list', 'list', 'json', 'json', 'json']);
});

test('an empty row is ignored, and empty lines of a list too', () => {
  const read = readRows([newRow(), row('audience', 'list', 'staff\n\n board \r\n')]);
  assert.deepEqual(read, { ok: true, metadata: { audience: ['staff', 'board'] } });
});

test('each invalid row has a problem', () => {
  const rows = [
    row('', 'text', 'value'),
    row('team', 'text', 'a'),
    row('team', 'text', 'b'),
    row('level', 'number', 'three'),
    row('big', 'number', '1e999'),
    row('blank', 'number', ' '),
    row('json', 'json', '{'),
  ];
  const read = readRows(rows);
  assert.ok(!read.ok);
  assert.deepEqual(
    rows.map(({ id }) => read.problems.get(id)),
    [
      'name-missing',
      undefined,
      'name-repeated',
      'not-a-number',
      'not-a-number',
      'not-a-number',
      'not-json',
    ],
  );
});
