import { DatabaseSync } from 'node:sqlite';

/** Number of candidates per requested result, as in our search. */
const CANDIDATES = 8;

export interface PeerPassage {
  /** Rowid. */
  readonly key: number;
  readonly level: number;
  readonly isPublic: boolean;
  readonly department: string;
  readonly vector: Float32Array;
}

/** A table of `sqlite-vec` with one byte and one bit per dimension, and metadata columns for filters. */
export class SqliteVec implements Disposable {
  readonly #db: DatabaseSync;
  readonly #insert;

  /** @param folder folder in which the package is installed. */
  constructor(folder: string, file: string, dimensions: number) {
    const platform = `sqlite-vec-${process.platform}-${process.arch}`;
    this.#db = new DatabaseSync(file, { allowExtension: true });
    this.#db.loadExtension(`${folder}/node_modules/${platform}/vec0`);
    this.#db.exec(`pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -400000;
      create virtual table passages using vec0 (
        bytes int8[${dimensions}] distance_metric=cosine, bits bit[${dimensions}],
        level integer, is_public integer, department text
      )`);
    this.#insert = this.#db.prepare(
      `insert into passages (rowid, bytes, bits, level, is_public, department)
       values (?, vec_int8(?), vec_bit(?), ?, ?, ?)`,
    );
  }

  insert(passages: readonly PeerPassage[]): void {
    this.#db.exec('begin');
    for (const { key, vector, level, isPublic, department } of passages)
      this.#insert.run(
        BigInt(key),
        toBytes(vector),
        toBits(vector),
        BigInt(level),
        isPublic ? 1n : 0n,
        department,
      );
    this.#db.exec('commit');
  }

  /** Compares all bytes. Returns the IDs of the nearest passages. */
  exact(query: Float32Array, limit: number, filter: string): number[] {
    const rows = this.#db
      .prepare(`select rowid from passages where bytes match vec_int8(?) and k = ? ${filter}`)
      .all(toBytes(query), limit);
    return rows.map(({ rowid }) => Number(rowid));
  }

  /** Compares all bits and then the bytes of the nearest candidates, as the documentation of `sqlite-vec` recommends for speed. */
  rescored(query: Float32Array, limit: number, filter: string): number[] {
    const rows = this.#db
      .prepare(
        `with candidates as (
           select rowid, bytes from passages where bits match vec_bit(?) and k = ? ${filter}
         )
         select rowid from candidates
         order by vec_distance_cosine(vec_int8(bytes), vec_int8(?)) limit ?`,
      )
      .all(toBits(query), limit * CANDIDATES, toBytes(query), limit);
    return rows.map(({ rowid }) => Number(rowid));
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

function toBytes(vector: Float32Array): Uint8Array {
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  const bytes = Int8Array.from(vector, (value) => Math.round((value * 127) / largest));
  return new Uint8Array(bytes.buffer);
}

function toBits(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(vector.length / 8);
  for (const [at, value] of vector.entries())
    if (value > 0) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  return bits;
}
