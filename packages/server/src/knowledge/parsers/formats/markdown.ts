import { Lexer } from 'marked';
import { languageOf, titleOf } from '../facts.ts';
import { decodeText } from './decode-text.ts';
import { MarkdownBlocks } from './markdown/blocks.ts';
import { splitFrontMatter } from './markdown/front-matter.ts';
import type { Parser } from './parser.ts';

/** Markdown as GitHub reads it, with HTML in it. What nests deeper than the stack ends in a RangeError. */
export const read: Parser = (bytes, add) => {
  const { fields, body } = splitFrontMatter(decodeText(bytes));
  const blocks = new MarkdownBlocks(add);
  blocks.walk(new Lexer({ gfm: true }).lex(body));
  return {
    title: titleOf(fields.get('title')) ?? titleOf(blocks.firstHeading),
    language: languageOf(fields.get('lang') ?? fields.get('language')),
  };
};
