import { invalidRequest, UUID_PATTERN } from '@gatehouse/contract';

const DEFAULT_LIMIT = 50;
const UUID = new RegExp(UUID_PATTERN);
const INTEGER = /^-?\d{1,16}$/;
const POSITION = /^\d{1,16}$/;
const INVALID_AFTER = 'after: must be `next` of the previous page';

/** Query parameters of a list. */
export interface ListRequest {
  readonly limit?: number;
  readonly after?: string;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly next: string | null;
}

/** Returns the requested number of items. Default 50. For `toPage`, fetch one row more than this number. */
export function readLimit(limit: number | undefined): number {
  return limit ?? DEFAULT_LIMIT;
}

/**
 * Returns the UUID of the last item of the previous page, or `null` for the first page.
 *
 * @throws {ApiError} 400 `http.invalid` for an invalid cursor.
 */
export function readCursor(cursor: string | undefined): string | null {
  return cursor === undefined ? null : decode(cursor, UUID);
}

/** Reads a cursor as `readCursor` does, for a list with integer IDs. */
export function readIntegerCursor(cursor: string | undefined): number | null {
  return cursor === undefined ? null : Number(decode(cursor, INTEGER));
}

/**
 * Reads a cursor as `readCursor` does, for a list of positions that start at 0.
 *
 * @param issue message for an invalid cursor.
 */
export function readPositionCursor(
  cursor: string | undefined,
  issue = INVALID_AFTER,
): number | null {
  return cursor === undefined ? null : Number(decode(cursor, POSITION, issue));
}

/** Reads a cursor as `readCursor` does, for a list whose cursors match `form`. */
export function readTextCursor(cursor: string | undefined, form: RegExp): string | null {
  return cursor === undefined ? null : decode(cursor, form);
}

/**
 * Returns a page of rows that are ordered by ID.
 *
 * @param rows up to `limit + 1` rows. If the additional row exists, there is a next page.
 * @param format default: returns the row.
 * @example
 * const count = readLimit(query.limit);
 * const rows = await repository.list(readCursor(query.after), count + 1);
 * return toPage(rows, count, (row) => row.id, formatLink);
 */
export function toPage<Row, Item = Row>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
  format = (row: Row) => row as unknown as Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? encodeCursor(idOf(last)) : null;
  return { items: shown.map(format), next };
}

/** Returns the cursor of the page after an ID. Most lists use `toPage` instead. */
export function encodeCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}

function decode(cursor: string, form: RegExp, issue = INVALID_AFTER): string {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  if (encodeCursor(id) === cursor && form.test(id)) return id;
  throw invalidRequest('http', [issue]);
}
