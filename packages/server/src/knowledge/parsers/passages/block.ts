/** What a document consists of, whatever its format: readers make these, in the document's order. */
export type Block =
  /** What follows stands under it, until a heading of its level or a higher one. 1 is the highest level. */
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  /** A page of a document that knows no headings. */
  | { readonly kind: 'page'; readonly number: number }
  /** Running text; a line break in it is one that was meant. */
  | { readonly kind: 'paragraph'; readonly text: string }
  /** Things that stay together where they fit: items with their marks and indents, lines of a record. */
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** Keeps its lines and indents. */
  | { readonly kind: 'code'; readonly text: string }
  /** A row of a table; `header` is empty when the table has none. */
  | {
      readonly kind: 'row';
      readonly header: readonly string[];
      readonly cells: readonly string[];
    };

/** Takes the blocks of a document as they are read. Throws a `Refusal` when they become too many. */
export type Sink = (block: Block) => void;
