import { getDocument, type PDFDocumentProxy } from 'unpdf/pdfjs';
import { ExtractionError, formatNumber } from '../extraction-error.ts';
import { MAX_PDF_PAGES } from '../limits.ts';
import type { AddBlock, Block } from '../passages/block.ts';
import { readTitleProperty } from '../title.ts';
import { type DocumentProperties, languageOf, type Parser } from './parser.ts';
import { type Line, linesOf } from './pdf-lines.ts';
import { Margins } from './pdf-margins.ts';
import { sectionsOf } from './pdf-tables.ts';

/** Two paragraphs are separated by a line gap that is larger than the usual gap of the page by this factor. */
const LARGER_GAP = 1.3;
/** A change of the font size by this factor separates two paragraphs. */
const OTHER_SIZE = 1.15;
const BULLET = /^[•‣▪◦●■–—*]\s/u;
const NUMBERED = /^\p{N}{1,3}[.)]\s/u;
/** The start of a line that can be an item without a bullet. */
const STARTS_ENTRY = /^[\p{Lu}\p{N}]/u;
const HYPHEN_AT_END = /\p{L}[-\u00ad\u2010]$/u;
/** The start of a line that continues a word. Before a conjunction, a hyphen stands for a part of a word, as in `pre- and post-war`. */
const CONTINUES_WORD = /^(?!(?:und|oder|bzw|sowie|bis|and|or|to|et|ou|y|o|и|или)(?!\p{L}))\p{Ll}/u;
const DENSE =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff00-\\uffef]';
const DENSE_AT_END = new RegExp(`${DENSE}$`, 'u');
const DENSE_AT_START = new RegExp(`^${DENSE}`, 'u');

/** Parses the text of each page in drawing order. Fetches no resources and runs no scripts. */
export const parse: Parser = async (bytes, add) => {
  const task = getDocument({
    data: bytes,
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    enableXfa: false,
  });
  try {
    return await readPages(await task.promise, add);
  } catch (error) {
    throw translate(error);
  } finally {
    await task.destroy();
  }
};

async function readPages(pdf: PDFDocumentProxy, add: AddBlock): Promise<DocumentProperties> {
  if (pdf.numPages > MAX_PDF_PAGES)
    throw new ExtractionError(
      'too-large',
      `The PDF has ${formatNumber(pdf.numPages)} pages, more than ${formatNumber(MAX_PDF_PAGES)}; split the document.`,
    );
  let language: string | null = null;
  const margins = new Margins();
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const content = await page.getTextContent();
    language ??= content.lang;
    const items = content.items.filter((item) => 'str' in item);
    add({ kind: 'page', number });
    const [, bottom = 0, , top = 0] = page.view;
    const lines = margins.next(linesOf(items, bottom), top - bottom);
    for (const block of blocksOf(lines)) add(block);
    page.cleanup();
  }
  return { title: await readTitle(pdf), language: languageOf(language) };
}

async function readTitle(pdf: PDFDocumentProxy): Promise<string | null> {
  const { info } = await pdf.getMetadata();
  const title: unknown = 'Title' in info ? info.Title : null;
  return typeof title === 'string' ? readTitleProperty(title) : null;
}

function translate(error: unknown): unknown {
  if (error instanceof Error && error.name === 'PasswordException')
    return new ExtractionError(
      'encrypted',
      'The PDF is protected by a password. Save the document without a password.',
    );
  return error;
}

/** Returns the tables of a page. Joins its other lines to paragraphs, and bulleted paragraphs to lists. */
function* blocksOf(lines: readonly Line[]): Generator<Block> {
  const usual = usualGap(lines);
  for (const section of sectionsOf(lines)) {
    if (section.kind === 'table') yield* section.rows;
    else yield* textBlocksOf(section.lines, usual);
  }
}

function textBlocksOf(lines: readonly Line[], usual: number): Block[] {
  const blocks: Block[] = [];
  let items: string[] = [];
  for (const text of paragraphsOf(lines, usual)) {
    if (!BULLET.test(text)) {
      items = [];
      blocks.push({ kind: 'paragraph', text });
    } else {
      if (items.length === 0) blocks.push({ kind: 'list', items });
      items.push(text);
    }
  }
  return blocks;
}

/** Joins lines to paragraphs by the gaps between them. Joins words that were hyphenated at a line's end. */
function paragraphsOf(lines: readonly Line[], usual: number): string[] {
  const paragraphs: Line[][] = [];
  for (const line of lines) {
    const paragraph = paragraphs.at(-1);
    const last = paragraph?.at(-1);
    if (last === undefined || separates(last, line, usual)) paragraphs.push([line]);
    else paragraph?.push(line);
  }
  return paragraphs.map(textOf);
}

/** Returns the text of a paragraph. Keeps a line break if the next word would have fitted on the line, as after the items of a list. */
function textOf(lines: readonly Line[]): string {
  const edge = lines.reduce((most, line) => Math.max(most, endOf(line)), 0);
  let text = '';
  for (const [index, line] of lines.entries()) {
    const last = lines[index - 1];
    if (last === undefined) text = line.text;
    else text = isBroken(last, line, edge) ? `${text}\n${line.text}` : join(text, line.text);
  }
  return text;
}

function isBroken(last: Line, line: Line, edge: number): boolean {
  const [cell] = line.cells;
  if (cell === undefined || last.cells.length === 0 || !STARTS_ENTRY.test(line.text)) return false;
  const [word = ''] = cell.text.split(' ');
  const width = ((cell.end - cell.start) * word.length) / cell.text.length;
  return endOf(last) + width + last.height < edge;
}

function endOf({ cells }: Line): number {
  return cells.at(-1)?.end ?? 0;
}

/**
 * Returns the usual gap between two lines of a paragraph. Uses the lower quartile, because on a page of short paragraphs
 * most gaps lie between paragraphs.
 */
function usualGap(lines: readonly Line[]): number {
  const gaps = lines
    .map((line, index) => (lines[index - 1]?.y ?? line.y) - line.y)
    .filter((gap) => gap > 0)
    .sort((a, b) => a - b);
  return gaps[gaps.length >> 2] ?? 0;
}

function separates(last: Line, line: Line, usual: number): boolean {
  const gap = last.y - line.y;
  // A negative gap means that the next line belongs to another column or follows a footnote.
  if (gap < 0 && !continuesWord(last.text, line.text)) return true;
  if (gap > usual * LARGER_GAP || startsItem(line.text)) return true;
  const [small = 0, large = 0] = [last.height, line.height].sort((a, b) => a - b);
  return large > small * OTHER_SIZE;
}

function startsItem(text: string): boolean {
  return BULLET.test(text) || NUMBERED.test(text);
}

function join(before: string, after: string): string {
  if (continuesWord(before, after)) return before.slice(0, -1) + after;
  const dense = DENSE_AT_END.test(before) && DENSE_AT_START.test(after);
  return dense ? before + after : `${before} ${after}`;
}

/** Reports whether the first word of a line continues the hyphenated word at the end of the line before. */
function continuesWord(before: string, after: string): boolean {
  return HYPHEN_AT_END.test(before) && CONTINUES_WORD.test(after);
}
