import { Parser } from 'htmlparser2';
import { type Facts, languageOf, titleOf } from '../../facts.ts';
import { MAX_HTML_DEPTH } from '../../limits.ts';
import type { Sink } from '../../passages/block.ts';
import { Refusal, shown } from '../../refusal.ts';
import { type Attributes, countOf, headingLevel, isBlock, isBold, isSkipped } from './elements.ts';
import { OpenLists } from './list.ts';
import { OpenTable } from './table.ts';

/**
 * Gives the blocks of a page, or of a part of one: headings, paragraphs, lists, tables, code. Works on
 * the events of a parser that has no tree, so depth costs no stack. Throws a `Refusal` when elements
 * are nested deeper than the limit.
 */
export function readHtml(html: string, add: Sink): Facts {
  const page = new Page(add);
  const parser = new Parser({
    onopentag: (name, attributes) => page.open(name, attributes),
    ontext: (text) => page.text(text),
    onclosetag: (name) => page.close(name),
  });
  parser.end(html);
  return page.end();
}

class Page {
  readonly #add: Sink;
  readonly #lists: OpenLists;
  #table: { readonly rows: OpenTable; readonly depth: number } | null = null;
  #heading: number | null = null;
  /** Text since the last block began or ended. */
  #run = '';
  #depth = 0;
  /** The depth of the element that is skipped with all that it holds; 0 for none. */
  #skipped = 0;
  #bold = 0;
  #pre = 0;
  #inTitle = false;
  #title = '';
  #firstHeading = '';
  #language: string | null = null;

  constructor(add: Sink) {
    this.#add = add;
    this.#lists = new OpenLists(add);
  }

  open(name: string, attributes: Attributes): void {
    this.#depth++;
    if (this.#depth > MAX_HTML_DEPTH) {
      const most = shown(MAX_HTML_DEPTH);
      throw new Refusal('too-complex', `The HTML is nested deeper than ${most} elements.`);
    }
    if (this.#skipped > 0) return;
    if (isSkipped(name, attributes)) this.#skipped = this.#depth;
    else if (name === 'br') this.#run += '\n';
    else if (name === 'title') this.#inTitle = true;
    else if (isBold(name)) this.#bold++;
    else if (isBlock(name)) this.#openBlock(name, attributes);
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#inTitle) {
      this.#title += text;
      return;
    }
    this.#run += this.#pre > 0 ? text : text.replace(/\s+/g, ' ');
    if (this.#bold === 0 && this.#table !== null && text.trim() !== '')
      this.#table.rows.plainText();
  }

  close(name: string): void {
    const depth = this.#depth--;
    if (this.#skipped > 0) {
      if (this.#skipped === depth) this.#skipped = 0;
    } else if (name === 'title') this.#inTitle = false;
    else if (isBold(name)) this.#bold--;
    else if (isBlock(name)) this.#closeBlock(name, depth);
  }

  end(): Facts {
    this.#endRun();
    this.#table?.rows.end();
    this.#lists.flush();
    return { title: titleOf(this.#title) ?? titleOf(this.#firstHeading), language: this.#language };
  }

  #openBlock(name: string, attributes: Attributes): void {
    this.#endRun();
    switch (name) {
      case 'html':
        this.#language ??= languageOf(attributes['lang'] ?? attributes['xml:lang']);
        break;
      case 'pre':
        this.#pre++;
        break;
      case 'table':
        this.#leaveTable();
        this.#lists.flush();
        this.#table = { rows: new OpenTable(this.#add), depth: this.#depth };
        break;
      case 'thead':
        this.#table?.rows.head(true);
        break;
      case 'td':
      case 'th':
        this.#table?.rows.cell({
          heads: name === 'th',
          columns: countOf(attributes['colspan']),
          rows: countOf(attributes['rowspan']),
        });
        break;
      case 'ul':
      case 'ol':
      case 'dl':
        if (this.#table === null) this.#lists.open(name === 'ol', countOf(attributes['start']));
        break;
      case 'li':
      case 'dt':
      case 'dd':
        if (this.#table === null && this.#lists.any) this.#lists.item(name);
        break;
      default:
        this.#openHeading(headingLevel(name));
    }
  }

  #openHeading(level: number | null): void {
    if (level === null) return;
    // Before it, another one may not have been closed.
    this.#endHeading();
    this.#leaveTable();
    this.#lists.flush();
    this.#heading = level;
  }

  #closeBlock(name: string, depth: number): void {
    if (headingLevel(name) !== null) {
      this.#endHeading();
      return;
    }
    const code = name === 'pre' && --this.#pre === 0;
    this.#endRun(code);
    if (name === 'tr') this.#table?.rows.endRow();
    else if (name === 'thead') this.#table?.rows.head(false);
    else if (name === 'table' && this.#table?.depth === depth) {
      this.#table.rows.end();
      this.#table = null;
    } else if ((name === 'ul' || name === 'ol' || name === 'dl') && this.#table === null) {
      this.#lists.close();
    }
  }

  /** A table that holds a heading or another table lays out the page. */
  #leaveTable(): void {
    this.#table?.rows.dissolve();
    this.#table = null;
  }

  #endHeading(): void {
    const [level, text] = [this.#heading, this.#run];
    this.#heading = null;
    if (level === null) return;
    this.#run = '';
    if (level === 1 && this.#firstHeading === '') this.#firstHeading = text;
    this.#add({ kind: 'heading', level, text });
  }

  #endRun(code = false): void {
    if (this.#heading !== null) {
      this.#run += ' ';
      return;
    }
    const text = this.#run;
    this.#run = '';
    if (text.trim() === '') return;
    if (this.#table !== null) this.#table.rows.text(text);
    else if (this.#lists.any) this.#lists.text(text);
    else this.#add({ kind: code ? 'code' : 'paragraph', text });
  }
}
