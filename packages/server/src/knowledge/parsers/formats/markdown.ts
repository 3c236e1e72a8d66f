import { Parser as HtmlParser } from 'htmlparser2';
import { Lexer, type Links, type Token, type Tokens } from 'marked';
import { ExtractionError } from '../extraction-error.ts';
import { MAX_MARKDOWN_DEPTH, MAX_SOURCE_TEXT } from '../limits.ts';
import { type AddBlock, toTextBlock } from '../passages/block.ts';
import { parseHtml } from './html.ts';
import { definedLabels, nestingOf, piecesOf } from './markdown-pieces.ts';
import { decodeText, languageOf, type Parser, titleOf } from './parser.ts';
import { raisedAfter } from './superscript.ts';

const FENCE = /^---[ \t]*\r?\n/;
const END = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m;
const FIELD = /^([a-z]+):[ \t]*(.*?)[ \t\r]*$/gim;
const MAX_LENGTH = 20_000;

/**
 * Parses GitHub Flavored Markdown with embedded HTML. Throws an `ExtractionError` if quotes and lists are nested deeper than the
 * limit, and a `RangeError` if other nesting exceeds the stack.
 */
export const parse: Parser = (bytes, add) => {
  const { fields, body } = splitFrontMatter(decodeText(bytes, MAX_SOURCE_TEXT));
  if (nestingOf(body, MAX_MARKDOWN_DEPTH) > MAX_MARKDOWN_DEPTH)
    throw new ExtractionError(
      'too-complex',
      `The quotes or lists are nested deeper than ${MAX_MARKDOWN_DEPTH} levels.`,
    );
  const blocks = new MarkdownBlocks(add);
  for (const tokens of tokensOfPieces(body)) blocks.walk(tokens);
  return {
    title: titleOf(fields.get('title')) ?? titleOf(blocks.firstHeading),
    language: languageOf(fields.get('lang') ?? fields.get('language')),
  };
};

/** Parses piece by piece, which limits the memory for tokens. */
function* tokensOfPieces(body: string): Generator<readonly Token[]> {
  const links: Links = {};
  for (const piece of piecesOf(body)) {
    if (piece.length < body.length && Object.keys(links).length === 0)
      for (const label of definedLabels(body)) links[label] = { href: '', title: '' };
    const lexer = new Lexer({ gfm: true });
    lexer.tokens.links = links;
    yield lexer.lex(piece);
  }
}

interface FrontMatter {
  /** Simple fields by lower-case name, with unquoted values. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Separates Markdown text from its front matter, YAML between two `---` lines. */
function splitFrontMatter(text: string): FrontMatter {
  const [fence] = FENCE.exec(text) ?? [];
  if (fence === undefined) return { fields: new Map(), body: text };
  const rest = text.slice(fence.length, MAX_LENGTH);
  const end = END.exec(rest);
  if (end === null) return { fields: new Map(), body: text };
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of rest.slice(0, end.index).matchAll(FIELD))
    fields.set(name.toLowerCase(), value.replace(/^(["'])(.*)\1$/, '$2'));
  return { fields, body: text.slice(fence.length + end.index + end[0].length) };
}

/** Identifier of a heading, which many generators of sites support, such as `{#returns}`. */
const HEADING_ID = /\s*\{#[\w-]+\}$/;

/** First line of a quote that GitHub shows as an alert. */
const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*/;
const ALERTS: Readonly<Record<string, string>> = {
  NOTE: 'Note: ',
  TIP: 'Tip: ',
  IMPORTANT: 'Important: ',
  WARNING: 'Warning: ',
  CAUTION: 'Caution: ',
};

class MarkdownBlocks {
  readonly #add: AddBlock;
  firstHeading = '';

  constructor(add: AddBlock) {
    this.#add = add;
  }

  walk(tokens: readonly Token[]): void {
    for (const token of tokens) this.#addToken(token);
  }

  #addToken(token: Token): void {
    switch (token.type) {
      case 'heading': {
        const { depth, tokens } = token as Tokens.Heading;
        const text = inlineText(tokens).replace(HEADING_ID, '');
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
        this.#addRows(token as Tokens.Table);
        break;
      case 'code':
        this.#add({ kind: 'code', text: (token as Tokens.Code).text });
        break;
      case 'html':
        parseHtml((token as Tokens.HTML).text, this.#add);
        break;
      case 'space':
      case 'hr':
      case 'def':
        break;
      default: {
        const text = inlineText([token]).replace(ALERT, (_, kind: string) => ALERTS[kind] ?? '');
        this.#add({ kind: 'paragraph', text });
      }
    }
  }

  #addRows({ header, rows }: Tokens.Table): void {
    const names = header.map(({ tokens }) => inlineText(tokens));
    for (const row of rows)
      this.#add({ kind: 'row', header: names, cells: row.map(({ tokens }) => inlineText(tokens)) });
    if (rows.length === 0) this.#add({ kind: 'row', header: [], cells: names });
  }
}

/** Returns the items of a list and its nested lists with their markers. Later lines of an item are indented. */
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
      else own.push(textInItem(token));
    }
    const text = own.filter((part) => part.trim() !== '').join('\n');
    return [indent + mark + box + text.replaceAll('\n', `\n${inner}`), ...nested];
  });
}

/** Returns the lines of a token in a list item. */
function textInItem(token: Token): string {
  switch (token.type) {
    case 'code':
      return token.text;
    case 'blockquote':
    case 'html':
    case 'table': {
      const texts: string[] = [];
      new MarkdownBlocks((block) => {
        if (block.kind === 'heading') texts.push(block.text);
        else if (block.kind !== 'page') texts.push(toTextBlock(block)?.text ?? '');
      }).walk([token]);
      return texts.join('\n');
    }
    default:
      return inlineText([token]);
  }
}

/** Tags of raised and of struck-out text. */
const CHANGING = /^<(\/?)(sup|s|strike|del)\b/;

/** Returns the text of inline tokens without markup. A hard line break becomes `\n`. */
function inlineText(tokens: readonly Token[] | undefined): string {
  let text = '';
  /** Start of the text in an HTML element that changes it. */
  let from: number | null = null;
  for (const token of tokens ?? []) {
    text += textOf(token);
    const [, end, name] = (token.type === 'html' && CHANGING.exec(token.raw)) || [];
    if (name === undefined) continue;
    if (end === '') from = text.length;
    else if (from !== null) {
      const before = text.slice(0, from);
      text = before + (name === 'sup' ? raisedAfter(before, text.slice(from)) : '');
      from = null;
    }
  }
  return text;
}

function textOf(token: Token): string {
  const { text = '' } = token as { readonly text?: string };
  switch (token.type) {
    case 'br':
      return '\n';
    case 'html':
      return /^<br\b/i.test(token.raw) ? '\n' : '';
    case 'del':
      // Struck-out text no longer applies. Some dialects use a single tilde for subscripts.
      return token.raw.startsWith('~~') ? '' : inlineText((token as Tokens.Del).tokens);
    case 'codespan':
    case 'escape':
      return text;
    case 'image':
      return decodeEntities(text);
    default: {
      const { tokens } = token as { tokens?: Token[] };
      if (tokens !== undefined) return inlineText(tokens);
      return decodeEntities(text).replaceAll('\n', ' ');
    }
  }
}

/** Decodes HTML entities, which marked does not decode. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  let decoded = '';
  const parser = new HtmlParser({
    ontext: (part) => {
      decoded += part;
    },
  });
  parser.end(text.replaceAll('<', '&lt;'));
  return decoded;
}
