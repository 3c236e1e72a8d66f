import { invalidRequest, UUID_PATTERN } from '@gatehouse/contract';

/** As the contract's `limit` says. */
const DEFAULT_LIMIT = 50;
const UUID = new RegExp(UUID_PATTERN);
const INTEGER = /^-?\d{1,16}$/;
const PLACE = /^\d{1,16}$/;

/** A page of a list, as every list of the contract answers it. */
export interface Page<Item> {
  readonly items: Item[];
  /** The cursor of the next page; null when this is the last one. */
  readonly next: string | null;
}

/** How many items a request asks for: 50 when it does not say. Fetch one row more than this. */
export function readLimit(limit: number | undefined): number {
  return limit ?? DEFAULT_LIMIT;
}

/**
 * The UUID of the last item of the page before; null for the first page.
 *
 * @throws ApiError 400 `http.invalid` for a text that is no cursor of ours.
 */
export function readCursor(cursor: string | undefined): string | null {
  return cursor === undefined ? null : decode(cursor, UUID);
}

/** The same for a list whose ids are integers. */
export function readIntegerCursor(cursor: string | undefined): number | null {
  return cursor === undefined ? null : Number(decode(cursor, INTEGER));
}

/** The same for a list in which everything has a place, from 0. */
export function readPositionCursor(cursor: string | undefined): number | null {
  return cursor === undefined ? null : Number(decode(cursor, PLACE));
}

/**
 * A page of rows that are ordered by id.
 *
 * @param rows up to `limit + 1` of them; one over the limit says that there is a next page.
 */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
  format: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? encode(idOf(last)) : null;
  return { items: shown.map(format), next };
}

function encode(id: string): string {
  return Buffer.from(id).toString('base64url');
}

function decode(cursor: string, form: RegExp): string {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  if (encode(id) === cursor && form.test(id)) return id;
  throw invalidRequest('http', ['after: must be the cursor `next` of a page before']);
}
