import { Parser as HtmlParser } from 'htmlparser2';
import { ExtractionError, formatNumber } from '../extraction-error.ts';
import { MAX_HTML_DEPTH } from '../limits.ts';
import type { AddBlock } from '../passages/block.ts';
import { OpenLists } from './html-list.ts';
import { OpenTable } from './html-table.ts';
import { type DocumentProperties, decodeText, languageOf, type Parser, titleOf } from './parser.ts';
import { raisedAfter } from './superscript.ts';

export const parse: Parser = (bytes, add) => parseHtml(decodeText(bytes), add);

/**
 * Adds the blocks of a page or a fragment: headings, paragraphs, lists, tables, code. The parser emits events and builds no
 * tree, so nesting takes no stack. Throws an `ExtractionError` if elements are nested deeper than the limit.
 */
export function parseHtml(html: string, add: AddBlock): DocumentProperties {
  const page = new Page(add);
  const parser = new HtmlParser({
    onopentag: (name, attributes) => page.open(name, attributes),
    ontext: (text) => page.text(text),
    onclosetag: (name) => page.close(name),
  });
  parser.end(html);
  return page.end();
}

type Attributes = Readonly<Record<string, string>>;

class Page {
  readonly #add: AddBlock;
  readonly #lists: OpenLists;
  #table: { readonly rows: OpenTable; readonly depth: number } | null = null;
  #heading: number | null = null;
  /** Text since the start or end of the last block. */
  #run = '';
  #depth = 0;
  /** Depth of the element that is skipped with its content. 0: no element is skipped. */
  #skipped = 0;
  #bold = 0;
  #pre = 0;
  /** Length of `#run` at the start of raised text. */
  #raisedFrom: number | null = null;
  #inTitle = false;
  #title = '';
  #firstHeading = '';
  #language: string | null = null;

  constructor(add: AddBlock) {
    this.#add = add;
    this.#lists = new OpenLists(add);
  }

  open(name: string, attributes: Attributes): void {
    this.#depth++;
    if (this.#depth > MAX_HTML_DEPTH) {
      const limit = formatNumber(MAX_HTML_DEPTH);
      throw new ExtractionError('too-complex', `The HTML is nested deeper than ${limit} elements.`);
    }
    if (this.#skipped > 0) return;
    if (isSkipped(name, attributes)) this.#skipped = this.#depth;
    else if (name === 'br') this.#run += '\n';
    else if (name === 'title') this.#inTitle = true;
    else if (isBold(name)) this.#bold++;
    else if (name === 'sup') this.#raisedFrom = this.#run.length;
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
    else if (name === 'sup') this.#endRaised();
    else if (isBlock(name)) this.#closeBlock(name, depth);
  }

  end(): DocumentProperties {
    this.#endRun();
    this.#table?.rows.end();
    this.#lists.flush();
    return { title: titleOf(this.#title) ?? titleOf(this.#firstHeading), language: this.#language };
  }

  #endRaised(): void {
    const from = this.#raisedFrom;
    this.#raisedFrom = null;
    if (from === null) return;
    const before = this.#run.slice(0, from);
    this.#run = before + raisedAfter(before, this.#run.slice(from));
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
    // The previous heading may be unclosed.
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

  /** Converts the current table to paragraphs. A table that contains a heading or another table is only page layout. */
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
    this.#raisedFrom = null;
    if (text.trim() === '') return;
    if (this.#table !== null) this.#table.rows.text(text);
    else if (this.#lists.any) this.#lists.text(text);
    else this.#add({ kind: code ? 'code' : 'paragraph', text });
  }
}

/** Elements without document text: scripts, navigation, graphics, controls, ruby annotations, and text that no longer applies. */
const SKIPPED = new Set(
  (
    'script style template noscript nav svg canvas iframe object audio video map ' +
    'select datalist textarea annotation rt rp s strike del'
  ).split(' '),
);

/** Elements that start and end a block of text. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body center dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main ol ' +
    'p pre search section summary table tbody td tfoot th thead tr ul caption'
  ).split(' '),
);

/** Reports whether an element is hidden or has no text content. */
function isSkipped(name: string, attributes: Attributes): boolean {
  if (SKIPPED.has(name) || attributes['aria-hidden'] === 'true') return true;
  const { hidden, style } = attributes;
  if (hidden !== undefined && hidden !== 'until-found') return true;
  return style !== undefined && /display\s*:\s*none/i.test(style);
}

function isBlock(name: string): boolean {
  return BLOCKS.has(name);
}

function headingLevel(name: string): number | null {
  return /^h[1-6]$/.test(name) ? Number(name[1]) : null;
}

function isBold(name: string): boolean {
  return name === 'b' || name === 'strong';
}

/** Parses a count such as `colspan`: 1 to 1,000, as in browsers. */
function countOf(attribute: string | undefined): number {
  const count = Number.parseInt(attribute ?? '', 10);
  return count >= 1 ? Math.min(count, 1000) : 1;
}
