import type { Sink } from '../../passages/block.ts';
import { tidy } from '../../passages/tidy.ts';

/** How far nested lists are indented at most. */
const MAX_INDENT = 8;

interface OpenList {
  readonly ordered: boolean;
  next: number;
}

/** The lists that are open within each other, together one block: what nests stays together where it fits. */
export class OpenLists {
  readonly #add: Sink;
  readonly #open: OpenList[] = [];
  #items: string[] = [];
  /** Stands before the next text; afterwards an indent. */
  #mark = '';
  #indent = '';
  /** Whether the next text begins an item. */
  #fresh = true;

  constructor(add: Sink) {
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
    this.#fresh = true;
    this.#mark = '';
    if (!this.any) this.flush();
  }

  /** Begins an item; a term of a definition list and its description have no mark. */
  item(name: 'li' | 'dt' | 'dd'): void {
    const list = this.#open.at(-1);
    const indent = '  '.repeat(Math.min(this.#open.length - 1, MAX_INDENT));
    const bullet = list?.ordered ? `${list.next++}. ` : '- ';
    this.#mark = indent + (name === 'li' ? bullet : name === 'dd' ? '  ' : '');
    this.#indent = ' '.repeat(this.#mark.length);
    this.#fresh = true;
  }

  text(run: string): void {
    const text = tidy(run).replaceAll('\n', `\n${this.#indent}`);
    if (this.#fresh) this.#items.push(this.#mark + text);
    else this.#items.push(`${this.#items.pop() ?? ''}\n${this.#indent}${text}`);
    this.#fresh = false;
  }

  /** Gives what there is; the lists stay open, for a heading or a table may stand in them. */
  flush(): void {
    if (this.#items.length > 0) this.#add({ kind: 'list', items: this.#items });
    this.#items = [];
    this.#mark = '';
    this.#fresh = true;
  }
}
