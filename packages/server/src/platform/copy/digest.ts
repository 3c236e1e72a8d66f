import { createHash } from 'node:crypto';
import type { CopyEnd, CopyRow, CopyTable, CopyValue } from '../../storage/ports/index.ts';

/** Equal for tables with the same rows. */
export interface Digest {
  readonly rows: number;
  /** Hex. */
  readonly digest: string;
}

/** Digests all rows of a table in the order of its key, with the types of the values but without derived columns. */
export async function digestTable(end: CopyEnd, table: CopyTable): Promise<Digest> {
  const derived = table.derived ?? [];
  const columns = (await end.columns(table)).filter((column) => !derived.includes(column));
  const hash = createHash('sha256').update(columns.join());
  let rows = 0;
  for await (const some of end.rows(table, null)) {
    rows += some.length;
    for (const row of some) addRow(row, columns, (part) => hash.update(part));
  }
  return { rows, digest: hash.digest('hex') };
}

function addRow(
  row: CopyRow,
  columns: readonly string[],
  add: (part: string | Uint8Array) => void,
): void {
  let text = '\n';
  for (const column of columns) {
    const value = row[column] ?? null;
    if (value instanceof Uint8Array) {
      add(`${text}b${value.byteLength}:`);
      add(value);
      text = '';
    } else text += encoded(value);
  }
  if (text !== '') add(text);
}

/** Prefixes the length, so that different rows have different encodings. */
function encoded(value: Exclude<CopyValue, Uint8Array>): string {
  if (value === null) return '-';
  return typeof value === 'string' ? `s${value.length}:${value}` : `n${value};`;
}

const KEY_WORDS = 4;

/**
 * Digests identities in any order: their number and the sums of their words. Identities are digests themselves, so sets
 * that differ by accident have different sums.
 */
export async function digestIdentities(end: CopyEnd): Promise<Digest> {
  const sums = new Uint32Array(KEY_WORDS * 2);
  let words = 0;
  for await (const some of end.identities()) {
    const bytes = Buffer.from(some.buffer, some.byteOffset, some.byteLength);
    for (let at = 0; at < bytes.byteLength; at += 4) {
      const word = bytes.readUInt32LE(at);
      const column = words % KEY_WORDS;
      sums[column] = (sums[column] ?? 0) + word;
      // A product, because plain sums do not detect words that were swapped between identities.
      sums[KEY_WORDS + column] = (sums[KEY_WORDS + column] ?? 0) + Math.imul(word, word | 1);
      words += 1;
    }
  }
  return { rows: words / KEY_WORDS, digest: Buffer.from(sums.buffer).toString('hex') };
}
