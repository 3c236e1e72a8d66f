import { highlight, type Query } from '../../lib/text/index.ts';
import type { AnswerPart } from '../answerer.ts';
import type { Piece, Quote } from './choose.ts';

/** Of a piece, in UTF-16 units; of a longer one the part is shown that the query finds. */
const LONGEST_PIECE = 320;
/** Behind it no space is needed. */
const ENDS_DENSE = /[。！？｡：]$/;

/** The quotes as Markdown, a text or a source at a time: a paragraph when there is one quote, else a list. */
export function* compose(quotes: readonly Quote[], query: Query): Generator<AnswerPart> {
  const [first, next] = quotes.length > 1 ? ['- ', '  - '] : ['', '- '];
  yield text('\n');
  for (const [index, { passage, pieces }] of quotes.entries()) {
    const number = index + 1;
    const sentences = pieces.filter(({ ownLine }) => !ownLine);
    const lines = pieces.filter(({ ownLine }) => ownLine).map((piece) => shown(piece, query));
    const [lead, ...items] = sentences.length > 0 ? [joined(sentences, query), ...lines] : lines;
    yield text(`\n${sentences.length > 0 ? first : '- '}${lead} [${number}]`);
    for (const item of items) yield text(`\n${sentences.length > 0 ? next : '- '}${item}`);
    yield { kind: 'source', number, passage };
  }
}

function joined(pieces: readonly Piece[], query: Query): string {
  let all = '';
  for (const piece of pieces) {
    const gap = piece.follows ? (ENDS_DENSE.test(all) ? '' : ' ') : ' … ';
    all += all === '' ? shown(piece, query) : gap + shown(piece, query);
  }
  return all;
}

function shown({ text: whole }: Piece, query: Query): string {
  if (whole.length <= LONGEST_PIECE) return asMarkdown(whole);
  const { snippet, start } = highlight(whole, query, LONGEST_PIECE);
  const before = start > 0 ? '… ' : '';
  const after = start + snippet.length < whole.length ? ' …' : '';
  return before + asMarkdown(snippet) + after;
}

function text(of: string): AnswerPart {
  return { kind: 'text', text: of };
}

/** What would make something else of a text than a text: code, emphasis, links, images, elements, entities. */
const ANYWHERE = /[\\`*[\]<>~]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** What would begin a heading, a list or a rule. */
const AT_START = /^(?:[#+=-]|\d{1,9}(?=[.)]))/;

/** A line of text as Markdown that shows it letter by letter. */
function asMarkdown(line: string): string {
  const escaped = line.replace(ANYWHERE, '\\$&');
  return escaped.replace(AT_START, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}
