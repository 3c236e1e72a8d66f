/** A column value that both engines can read and write. */
export type CopyValue = string | number | null | Uint8Array;
export type CopyRow = Readonly<Record<string, CopyValue>>;
export type CopyKey = readonly (string | number)[];

export interface CopyTable {
  readonly name: string;
  /** Columns of a unique key, which is the same on both engines. Rows are read in key order. */
  readonly key: readonly string[];
  /** Columns to copy, if the tables of the two engines differ. Default: all columns. */
  readonly columns?: readonly string[];
  /** Set if rows may remain for a while after their space was deleted. Such rows are not copied. */
  readonly outlivesSpace?: true;
  /** Column that numbers the rows of a document, for tables that are read one document at a time. */
  readonly ofDocument?: 'position' | 'part';
  /** Set if a row may contain several megabytes. Fewer rows are then read at a time. */
  readonly isHeavy?: true;
  /** Columns that are computed from other columns. The engines may store these values differently. */
  readonly derived?: readonly string[];
}

/** Highest numbers assigned so far. The copy must not assign them again. */
export interface CopyCounters {
  readonly bots: number;
  readonly knowledgeSpaces: number;
  /** Highest document number within any space. */
  readonly ordinals: number;
}

/** The source or target store of a copy. No other process may use the store during the copy. */
export interface CopyEnd extends AsyncDisposable {
  /** Name to show to operators, without a password. */
  readonly label: string;
  columns(table: CopyTable): Promise<readonly string[]>;
  /** Reads the rows after a key, in key order, in chunks. `null` starts with the first row. */
  rows(table: CopyTable, after: CopyKey | null): AsyncIterable<readonly CopyRow[]>;
  /** Inserts rows and sets an installation fact in one transaction. */
  write(
    table: CopyTable,
    rows: readonly CopyRow[],
    fact: { readonly name: string; readonly value: string },
  ): Promise<void>;
  isEmpty(tables: readonly CopyTable[]): Promise<boolean>;
  /**
   * Reads the identities of all events ever accepted, in chunks of concatenated 16-byte identities. The identities are
   * distinct and unordered.
   */
  identities(): AsyncIterable<Uint8Array>;
  /**
   * Stores the identities of events that must be treated as duplicates. Identities of events that `write` stored are
   * already known. Idempotent.
   */
  writeIdentities(identities: () => AsyncIterable<Uint8Array>): Promise<void>;
  counters(): Promise<CopyCounters>;
  writeCounters(counters: CopyCounters): Promise<void>;
  fact(name: string): Promise<string | undefined>;
  putFact(name: string, value: string): Promise<void>;
}
