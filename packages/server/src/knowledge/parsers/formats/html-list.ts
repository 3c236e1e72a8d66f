import type { AddBlock } from '../passages/block.ts';
import { normalise } from '../passages/normalise.ts';

/** Maximum depth to which nested lists are indented. */
const MAX_INDENT = 8;

interface OpenList {
  readonly ordered: boolean;
  next: number;
}

/** The open lists, from the outermost to the innermost. Nested lists form one block, so their items stay together. */
export class OpenLists {
  readonly #add: AddBlock;
  readonly #open: OpenList[] = [];
  #items: string[] = [];
  /** Prefix of the first text of an item. Later lines of the item are indented instead. */
  #marker = '';
  #indent = '';
  /** The next text starts an item. */
  #startsItem = true;

  constructor(add: AddBlock) {
    this.#add = add;
  }

  get any(): boolean {
    return this.#open.length > 0;
  }

  open(ordered: boolean, start: number): void {
    this.#open.push({ ordered, next: start });
  }

  close(): void {
    this.#open.pop();
    this.#startsItem = true;
    this.#marker = '';
    if (!this.any) this.flush();
  }

  /** Starts an item. A term of a definition list and its description have no marker. */
  item(name: 'li' | 'dt' | 'dd'): void {
    const list = this.#open.at(-1);
    const indent = '  '.repeat(Math.min(this.#open.length - 1, MAX_INDENT));
    const bullet = list?.ordered ? `${list.next++}. ` : '- ';
    this.#marker = indent + (name === 'li' ? bullet : name === 'dd' ? '  ' : '');
    this.#indent = ' '.repeat(this.#marker.length);
    this.#startsItem = true;
  }

  text(run: string): void {
    const text = normalise(run).replaceAll('\n', `\n${this.#indent}`);
    if (this.#startsItem) this.#items.push(this.#marker + text);
    else this.#items.push(`${this.#items.pop() ?? ''}\n${this.#indent}${text}`);
    this.#startsItem = false;
  }

  /** Adds the current items as a block. The lists stay open, because a heading or a table inside a list does not end the list. */
  flush(): void {
    if (this.#items.length > 0) this.#add({ kind: 'list', items: this.#items });
    this.#items = [];
    this.#marker = '';
    this.#startsItem = true;
  }
}
