import type { Plugin } from 'vite';

const MODULE = /\/marked\/lib\/marked\.esm\.js$/;
const NAME = /([\w$]+) as (Lexer|Tokenizer|Marked)\b/g;

/**
 * Reduces `marked` to its lexer, which saves 3 kB of gzip. The module creates a parser while the module is loaded, so
 * bundlers cannot remove the parser, the renderer and the hooks.
 */
export function markedLexer(): Plugin {
  return {
    name: 'marked-lexer',
    transform: (code, id) => (MODULE.test(id) ? { code: extractLexer(code), map: null } : null),
  };
}

/** @throws if the module has an unexpected structure. In that case, review this code for the new version of marked. */
export function extractLexer(code: string): string {
  const names = new Map(Array.from(code.matchAll(NAME), ([, own, name]) => [name, own]));
  const parser = names.get('Marked')?.replaceAll('$', '\\$');
  const end = code.search(new RegExp(`var [\\w$]+=new ${parser};`));
  if (names.size !== 3 || end === -1)
    throw new Error('marked.esm.js has an unexpected structure; update build/marked-lexer.ts');
  const kept = `${names.get('Lexer')} as Lexer,${names.get('Tokenizer')} as Tokenizer`;
  return `${code.slice(0, end)}export{${kept}};`;
}
