export interface Table {
  readonly columns: readonly string[];
  /** Cells in the order of the columns. A missing cell is an empty text. */
  readonly rows: readonly (readonly string[])[];
}

/** The name of a column and the value of a cell, as indexed: `Country: Japan`. */
const CELL = /^([^:]{1,60}): (.+)$/u;
const MAX_COLUMNS = 8;

/** Returns the table of some rows such as `Country: Japan | Days: 5 to 8`, or `null` if a cell has no column name. */
export function tableOf(rows: readonly string[]): Table | null {
  const columns = new Set<string>();
  const records: Map<string, string>[] = [];
  for (const row of rows) {
    const record = new Map<string, string>();
    for (const cell of row.split(' | ')) {
      const [, name, value] = CELL.exec(cell) ?? [];
      if (name === undefined || value === undefined) return null;
      columns.add(name);
      record.set(name, value);
    }
    records.push(record);
  }
  const shown = [...columns].slice(0, MAX_COLUMNS);
  return {
    columns: shown,
    rows: records.map((record) => shown.map((name) => record.get(name) ?? '')),
  };
}
