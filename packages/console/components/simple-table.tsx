import type { ComponentChildren } from 'preact';

export interface SimpleTableProps {
  /** Name of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** A table without pages. The first cell of a row names it. */
export function SimpleTable({ caption, columns, rows }: SimpleTableProps) {
  return (
    <div class="scroll">
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
