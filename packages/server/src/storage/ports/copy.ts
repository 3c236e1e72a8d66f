/** A value of a row, as both engines give and take it. */
export type CopyValue = string | number | null | Uint8Array;
export type CopyRow = Readonly<Record<string, CopyValue>>;
/** The values of a table's key. */
export type CopyKey = readonly (string | number)[];

/** A table that is copied row by row. */
export interface CopyTable {
  readonly name: string;
  /** Columns by which it is read in order; unique, the same on both engines. */
  readonly key: readonly string[];
  /** Given where an engine has other columns besides, or none of this name: these are what is copied. */
  readonly columns?: readonly string[];
  /** Its rows go when their space is gone, but not at once: what is left of such spaces is not copied. */
  readonly outlivesSpace?: true;
  /** Rows of documents, which are read one document after the other. */
  readonly ofDocument?: 'position' | 'part';
  /** Rows may have megabytes. */
  readonly isHeavy?: true;
  /** Columns that follow from the others and may be written in another way. */
  readonly derived?: readonly string[];
}

/** Numbers that are never given twice: the highest ones so far. */
export interface CopyCounters {
  readonly bots: number;
  readonly knowledgeSpaces: number;
  /** Of documents in their spaces. */
  readonly ordinals: number;
}

/** One end of a copy: a store that nobody else uses meanwhile. */
export interface CopyEnd extends AsyncDisposable {
  /** What it is called, without a password. */
  readonly words: string;
  columns(table: CopyTable): Promise<readonly string[]>;
  /** Its rows behind a key, in the key's order, some at a time. */
  rows(table: CopyTable, after: CopyKey | null): AsyncIterable<readonly CopyRow[]>;
  /** Keeps rows and, in the same transaction, a fact about the installation. */
  write(
    table: CopyTable,
    rows: readonly CopyRow[],
    fact: { readonly name: string; readonly value: string },
  ): Promise<void>;
  isEmpty(tables: readonly CopyTable[]): Promise<boolean>;
  /** Identities of all events that ever were accepted, 16 bytes each, side by side, in any order and each once. */
  identities(): AsyncIterable<Uint8Array>;
  /** Makes these the identities that are known; those of the events that were written are known already. May be done again. */
  writeIdentities(identities: () => AsyncIterable<Uint8Array>): Promise<void>;
  counters(): Promise<CopyCounters>;
  writeCounters(counters: CopyCounters): Promise<void>;
  /** A fact about the installation. */
  fact(name: string): Promise<string | undefined>;
  putFact(name: string, value: string): Promise<void>;
}
