import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiError } from '@gatehouse/contract';
import {
  encodeCursor,
  readCursor,
  readIntegerCursor,
  readLimit,
  readPositionCursor,
  toPage,
} from './pages.ts';

const IDS = [1, 2, 3].map((n) => `0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a${n}`);
const idOf = (id: string) => id;

test('a page has the requested number of items and a cursor to the next page', () => {
  const page = toPage(IDS, 2, idOf, (id) => id.at(-1));
  assert.deepEqual(page.items, ['1', '2']);
  assert.equal(readCursor(page.next ?? ''), IDS[1]);
});

test('the last page has no cursor', () => {
  for (const limit of [3, 4]) assert.equal(toPage(IDS, limit, idOf, idOf).next, null);
  assert.deepEqual(toPage([], 50, idOf, idOf), { items: [], next: null });
});

test('a cursor for integer IDs may be negative', () => {
  const { next } = toPage([-7, 8], 1, String, String);
  assert.equal(readIntegerCursor(next ?? ''), -7);
});

test('a cursor for positions must not be negative', () => {
  const cursorOf = (position: number) => Buffer.from(String(position)).toString('base64url');
  assert.equal(readPositionCursor(cursorOf(0)), 0);
  assert.equal(readPositionCursor(cursorOf(65_535)), 65_535);
  assert.equal(readPositionCursor(undefined), null);
  assert.throws(() => readPositionCursor(cursorOf(-1)), { status: 400 });
});

test('a request without parameters reads the first page of 50 items', () => {
  assert.equal(readCursor(undefined), null);
  assert.equal(readIntegerCursor(undefined), null);
  assert.equal(readLimit(undefined), 50);
  assert.equal(readLimit(7), 7);
});

test('rejects an invalid cursor with an issue about `after`', () => {
  const [id = ''] = IDS;
  const cursor = Buffer.from(id).toString('base64url');
  for (const text of [
    '',
    'x',
    id,
    `${cursor}=`,
    `${cursor} `,
    Buffer.from('1').toString('base64url'),
  ])
    assert.throws(
      () => readCursor(text),
      (error: { status: number; issues: unknown[] }) => {
        assert.equal(error.status, 400);
        assert.match(JSON.stringify(error.issues), /"after: /);
        return true;
      },
    );
  assert.throws(() => readIntegerCursor(cursor), { status: 400 });
});

test('the error for a cursor of the same list with another parameter names the parameter', () => {
  const other = { parameter: 'order', form: /^newest$/ };
  const issuesOf = (cursor: string) => {
    try {
      readCursor(cursor, other);
    } catch (error) {
      return (error as ApiError).issues?.map(({ message }) => message);
    }
    return undefined;
  };
  const hint = 'omit `after` for the first page';
  assert.deepEqual(issuesOf(encodeCursor('newest')), [
    `after: belongs to a page with another \`order\`; repeat the \`order\` of that page, or ${hint}`,
  ]);
  assert.deepEqual(issuesOf('x'), [
    `after: must be \`next\` of the previous page of this list, unchanged; ${hint}`,
  ]);
  assert.equal(issuesOf(encodeCursor(IDS[0] ?? '')), undefined);
});
