import { invalidRequest, UUID } from '@gatehouse/contract';

const DEFAULT_LIMIT = 50;
const INTEGER = /^-?\d{1,16}$/;
const POSITION = /^\d{1,16}$/;
const INVALID_AFTER =
  'after: must be `next` of the previous page of this list, unchanged; omit `after` for the first page';

/** The form of cursors that the same list returns for another value of a query parameter. */
export interface OtherCursors {
  readonly parameter: string;
  readonly form: RegExp;
}

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
 * @param other cursors that the error explains instead of calling them invalid.
 * @throws {ApiError} 400 `http.invalid` for an invalid cursor.
 */
export function readCursor(cursor: string | undefined, other?: OtherCursors): string | null {
  return readTextCursor(cursor, UUID, other);
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
export function readTextCursor(
  cursor: string | undefined,
  form: RegExp,
  other?: OtherCursors,
): string | null {
  if (cursor === undefined) return null;
  return decode(cursor, form, other === undefined ? INVALID_AFTER : issueOf(cursor, other));
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
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
): Page<Row>;
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
  format: (row: Row) => Item,
): Page<Item>;
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
  format: (row: Row) => unknown = (row) => row,
): Page<unknown> {
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
  const id = textOf(cursor);
  if (id !== null && form.test(id)) return id;
  throw invalidRequest('http', [issue]);
}

function issueOf(cursor: string, { parameter, form }: OtherCursors): string {
  const text = textOf(cursor);
  return text !== null && form.test(text)
    ? `after: belongs to a page with another \`${parameter}\`; repeat the \`${parameter}\` of that page, or omit \`after\` for the first page`
    : INVALID_AFTER;
}

/** Returns the text of a cursor, or `null` if `encodeCursor` does not return this cursor for any text. */
function textOf(cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  return encodeCursor(text) === cursor ? text : null;
}
