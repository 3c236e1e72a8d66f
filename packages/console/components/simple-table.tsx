import type { ComponentChildren } from 'preact';
import { Table } from './table.tsx';

export interface SimpleTableProps {
  /** Name of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** A table without pages. The first cell of a row names it. */
export function SimpleTable({ caption, columns, rows }: SimpleTableProps) {
  return (
    <Table caption={caption} columns={columns}>
      {rows.map((cells, row) => (
        <tr key={row}>
          {cells.map((cell, column) => (
            <td key={column}>{cell}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
