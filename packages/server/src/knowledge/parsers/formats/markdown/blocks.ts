import type { Token, Tokens } from 'marked';
import type { Sink } from '../../passages/block.ts';
import { readHtml } from '../html/read-html.ts';
import { inlineText } from './inline.ts';

/** Gives the blocks of Markdown's tokens. */
export class MarkdownBlocks {
  readonly #add: Sink;
  firstHeading = '';

  constructor(add: Sink) {
    this.#add = add;
  }

  walk(tokens: readonly Token[]): void {
    for (const token of tokens) this.#give(token);
  }

  #give(token: Token): void {
    switch (token.type) {
      case 'heading': {
        const { depth, tokens } = token as Tokens.Heading;
        const text = inlineText(tokens);
        if (depth === 1 && this.firstHeading === '') this.firstHeading = text;
        this.#add({ kind: 'heading', level: depth, text });
        break;
      }
      case 'blockquote':
        this.walk((token as Tokens.Blockquote).tokens);
        break;
      case 'list':
        this.#add({ kind: 'list', items: itemsOf(token as Tokens.List, '') });
        break;
      case 'table':
        this.#giveRows(token as Tokens.Table);
        break;
      case 'code':
        this.#add({ kind: 'code', text: (token as Tokens.Code).text });
        break;
      case 'html':
        readHtml((token as Tokens.HTML).text, this.#add);
        break;
      case 'space':
      case 'hr':
      case 'def':
        break;
      default:
        this.#add({ kind: 'paragraph', text: inlineText([token]) });
    }
  }

  #giveRows({ header, rows }: Tokens.Table): void {
    const names = header.map(({ tokens }) => inlineText(tokens));
    for (const row of rows)
      this.#add({ kind: 'row', header: names, cells: row.map(({ tokens }) => inlineText(tokens)) });
    if (rows.length === 0) this.#add({ kind: 'row', header: [], cells: names });
  }
}

/** The items of a list and of those in it, each a line with its mark; what else an item holds is indented. */
function itemsOf(list: Tokens.List, indent: string): string[] {
  let number = list.start === '' ? 1 : list.start;
  return list.items.flatMap((item) => {
    const mark = list.ordered ? `${number++}. ` : '- ';
    const inner = indent + ' '.repeat(mark.length);
    const nested: string[] = [];
    const own: string[] = [];
    const box = item.task ? `[${item.checked ? 'x' : ' '}] ` : '';
    for (const token of item.tokens) {
      if (token.type === 'checkbox') continue;
      if (token.type === 'list') nested.push(...itemsOf(token as Tokens.List, inner));
      else own.push(token.type === 'code' ? token.text : inlineText([token]));
    }
    const text = own.filter((part) => part.trim() !== '').join('\n');
    return [indent + mark + box + text.replaceAll('\n', `\n${inner}`), ...nested];
  });
}
