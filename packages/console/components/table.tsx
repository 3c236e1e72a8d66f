import type { ComponentChildren } from 'preact';
import { isShortened, shortened } from './shortened.ts';

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

/** Shows the beginning of a type, a source or a subject. Its lines preferably end after dots, slashes and colons. */
export function AttributeText({ text }: { readonly text: string }) {
  const parts = shortened(text).split(/(?<=[./:])(?![./:])/);
  return (
    <bdi>
      {parts.flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]))}
      {isShortened(text) && '…'}
    </bdi>
  );
}
