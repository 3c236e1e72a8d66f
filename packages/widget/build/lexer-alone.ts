import type { Plugin } from 'vite';

const MODULE = /\/marked\/lib\/marked\.esm\.js$/;
const NAME = /([\w$]+) as (Lexer|Tokenizer|Marked)\b/g;

/**
 * Reduces `marked` to its lexer. The module creates a parser with renderer and hooks when it is loaded, so
 * bundlers cannot remove them: 3 kB of gzip that the first answer would wait for.
 */
export function lexerAlone(): Plugin {
  return {
    name: 'lexer-alone',
    transform: (code, id) => (MODULE.test(id) ? { code: cutToLexer(code), map: null } : null),
  };
}

/** @throws if the module has another structure, so that a new version needs a review. */
export function cutToLexer(code: string): string {
  const names = new Map(Array.from(code.matchAll(NAME), ([, own, name]) => [name, own]));
  const parser = names.get('Marked')?.replaceAll('$', '\\$');
  const end = code.search(new RegExp(`var [\\w$]+=new ${parser};`));
  if (names.size !== 3 || end === -1) throw new Error('marked.esm.js has another shape');
  const kept = `${names.get('Lexer')} as Lexer,${names.get('Tokenizer')} as Tokenizer`;
  return `${code.slice(0, end)}export{${kept}};`;
}
