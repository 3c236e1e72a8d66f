import { createHash } from 'node:crypto';
import type { CopyEnd, CopyRow, CopyTable, CopyValue } from '../../storage/ports/index.ts';

/** A digest of a table's rows. Tables with the same rows have equal digests. */
export interface Digest {
  readonly rows: number;
  readonly digest: string;
}

/** Returns the digest of a table. It covers all rows in key order, and the type and value of every column that is not derived. */
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

/** Encodes a value with its type. Strings include their length, so different rows have different encodings. */
function encoded(value: Exclude<CopyValue, Uint8Array>): string {
  if (value === null) return '-';
  return typeof value === 'string' ? `s${value.length}:${value}` : `n${value};`;
}

const KEY_WORDS = 4;

/**
 * Returns a digest of identities that does not depend on their order. The digest consists of the number of identities and the
 * sums of their 32-bit words. Identities are hashes, so different sets practically never have the same sums.
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
      // Plain sums do not detect words that were swapped between identities, so a product is summed too.
      sums[KEY_WORDS + column] = (sums[KEY_WORDS + column] ?? 0) + Math.imul(word, word | 1);
      words += 1;
    }
  }
  return { rows: words / KEY_WORDS, digest: Buffer.from(sums.buffer).toString('hex') };
}
