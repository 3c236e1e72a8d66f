import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface SegmentRow {
  readonly id: number;
  readonly block_bits: number;
  readonly count: number;
  readonly through_batch: number;
  readonly filter: Uint8Array;
}

const BLOCKS_PER_SEGMENT = 2 ** 24;

/** Reads and writes the rows of the identity index. The key of a block combines its segment and its block number. */
export class SegmentStore {
  readonly #db: DatabaseSync;
  readonly #readBlock: StatementSync;
  readonly #writeBlock: StatementSync;
  readonly #dropBlocks: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#readBlock = db.prepare('select keys from identity_blocks where id = ?');
    this.#writeBlock = db.prepare('insert into identity_blocks (id, keys) values (?, ?)');
    this.#dropBlocks = db.prepare('delete from identity_blocks where id >= ? and id < ?');
  }

  live(): SegmentRow[] {
    return this.#db
      .prepare(
        "select id, block_bits, count, through_batch, filter from identity_segments where state = 'live' order by id",
      )
      .all() as unknown as SegmentRow[];
  }

  /** Returns the segments that were merged into another segment, and incomplete segments left by a crash. */
  garbage(): { id: number; block_bits: number }[] {
    return this.#db
      .prepare("select id, block_bits from identity_segments where state <> 'live' order by id")
      .all() as unknown as { id: number; block_bits: number }[];
  }

  begin(blockBits: number, count: number, throughBatch: number): number {
    const { lastInsertRowid } = this.#db
      .prepare(
        "insert into identity_segments (block_bits, count, through_batch, state) values (?, ?, ?, 'building')",
      )
      .run(blockBits, count, throughBatch);
    return Number(lastInsertRowid);
  }

  finish(id: number, filter: Uint8Array): void {
    this.#db
      .prepare("update identity_segments set state = 'live', filter = ? where id = ?")
      .run(filter, id);
  }

  retire(ids: readonly number[]): void {
    const statement = this.#db.prepare(
      "update identity_segments set state = 'garbage', filter = null where id = ?",
    );
    for (const id of ids) statement.run(id);
  }

  forget(id: number): void {
    this.#db.prepare('delete from identity_segments where id = ?').run(id);
  }

  readBlock(segment: number, block: number): Uint8Array {
    const row = this.#readBlock.get(segment * BLOCKS_PER_SEGMENT + block);
    return (row?.['keys'] as Uint8Array | undefined) ?? new Uint8Array(0);
  }

  writeBlock(segment: number, block: number, keys: Uint8Array): void {
    if (keys.byteLength > 0) this.#writeBlock.run(segment * BLOCKS_PER_SEGMENT + block, keys);
  }

  dropBlocks(segment: number, from: number, count: number): void {
    const first = segment * BLOCKS_PER_SEGMENT + from;
    this.#dropBlocks.run(first, first + count);
  }
}
