import { matchFormula, splitParagraph } from '@gatehouse/contract/answer-text';
import type { Token, Tokens } from 'marked';

const BLANK_LINE = /\n[ \t]*(?:\n|$)/;
const DISPLAY = /(?<=\n) {0,3}(?:\$\$|\\\[)/g;
/** Length of the text that is searched first, in UTF-16 code units. The limit makes the total search time linear. */
const WINDOW = 2_000;
/** Maximum number of positions per paragraph that are checked for a display formula. */
const MAX_PLACES = 20;
/** A formula is lexed as `$` + a private-use character + `$`. The dollar signs have the same effect on emphasis. */
const FIRST = 0xe000;
const MAX_FORMULAS = 1_000;
const PRIVATE_USE = /[\ue000-\uf8ff]/;
const PLACEHOLDER = /\$([\ue000-\uf8ff])\$/;
const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'g');

function formulaToken(raw: string, text: string): Tokens.Generic {
  return { type: 'formula', raw, text };
}

/**
 * Returns the display formula at the start of a text, or `undefined`. A display formula starts a line, and it either ends a
 * line or contains a line break. It is lexed as a block, so that its lines do not become list items or headings.
 */
export function displayFormula(src: string): Tokens.Generic | undefined {
  const [indent] = /^ {0,3}(?=\$\$|\\\[)/.exec(src) ?? [];
  if (indent === undefined) return undefined;
  const start = src.slice(indent.length, indent.length + WINDOW);
  let [paragraph = ''] = start.split(BLANK_LINE, 1);
  let match = matchFormula('', paragraph);
  if (match === null || match === 'unclear') return undefined;
  if (match.length === WINDOW) {
    [paragraph = ''] = src.slice(indent.length).split(BLANK_LINE, 1);
    match = matchFormula('', paragraph);
    if (match === null || match === 'unclear') return undefined;
  }
  const text = paragraph.slice(0, match.length);
  const end = indent.length + match.length;
  const [lineEnd] = /^[ \t]*(?:\n|$)/.exec(src.slice(end)) ?? [];
  if (lineEnd === undefined && !text.includes('\n')) return undefined;
  return formulaToken(src.slice(0, end + (lineEnd?.length ?? 0)), text);
}

/**
 * Lexes the paragraph at the start of a text. A display formula ends the paragraph before it.
 *
 * @param lex lexes a paragraph without checking for display formulas.
 */
export function lexBeforeFormula<T extends Tokens.Generic>(
  src: string,
  lex: (src: string) => T | undefined,
): T | undefined {
  const start = src.slice(0, WINDOW).split(BLANK_LINE, 1)[0] ?? '';
  const end = endOfParagraph(start, src);
  if (end < start.length) return lex(src.slice(0, end));
  const paragraph = lex(src);
  if (paragraph === undefined) return undefined;
  const longEnd = endOfParagraph(paragraph.raw, src);
  return longEnd < paragraph.raw.length ? lex(src.slice(0, longEnd)) : paragraph;
}

function endOfParagraph(raw: string, src: string): number {
  let places = 0;
  for (const { index } of raw.matchAll(DISPLAY)) {
    if (++places > MAX_PLACES) break;
    if (displayFormula(src.slice(index)) !== undefined) return index;
  }
  return raw.length;
}

/** Lexes a run of inline text. Formulas become tokens of the type `formula`, which contain their source text. */
export function lexAroundFormulas(run: string, lex: (text: string) => Token[]): Token[] {
  if (!/\$|\\[([]/.test(run) || PRIVATE_USE.test(run)) return lex(run);
  const formulas: string[] = [];
  const masked = splitParagraph(run).map(({ text, kind }) => {
    if (kind !== 'formula' || formulas.length >= MAX_FORMULAS) return text;
    return `$${String.fromCharCode(FIRST + formulas.push(text) - 1)}$`;
  });
  if (formulas.length === 0) return lex(run);
  const sourceOf = (placeholder: string) =>
    formulas[placeholder.charCodeAt(0) - FIRST] ?? placeholder;
  const restore = (text: string) => text.replace(PLACEHOLDERS, (_, char) => sourceOf(char));
  return withFormulas(lex(masked.join('')), restore, sourceOf);
}

function withFormulas(
  tokens: readonly Token[],
  restore: (text: string) => string,
  sourceOf: (placeholder: string) => string,
): Token[] {
  return tokens.flatMap((token): Token[] => {
    const { tokens: children, ...rest } = token as Tokens.Generic;
    if (rest.type === 'text' && children === undefined)
      // `split` returns text at even indexes and placeholders at odd indexes.
      return String(rest['text'])
        .split(PLACEHOLDER)
        .flatMap((part, at) => {
          if (at % 2 === 1) return [formulaToken(sourceOf(part), sourceOf(part))];
          return part === '' ? [] : [{ type: 'text', raw: part, text: part }];
        });
    const restored = Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [
        name,
        typeof value === 'string' ? restore(value) : value,
      ]),
    );
    const inside =
      children === undefined ? {} : { tokens: withFormulas(children, restore, sourceOf) };
    return [{ ...restored, ...inside } as Tokens.Generic];
  });
}
