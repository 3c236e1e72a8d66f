import type { ComponentChildren } from 'preact';

export interface TableProps {
  /** Name of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly string[];
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table that scrolls sideways in a narrow window. */
export function Table({ caption, columns, children }: TableProps) {
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
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
