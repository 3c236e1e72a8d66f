import type { Plugin } from 'vite';

const MODULE = /\/marked\/lib\/marked\.esm\.js$/;
const NAME = /([\w$]+) as (Lexer|Tokenizer|Marked)\b/g;

/**
 * Leaves of `marked` what turns text into tokens. Its module makes a parser with renderer and hooks when it
 * is loaded, which no bundler may take for unused: 3 kB of gzip that an answer would wait for.
 */
export function lexerAlone(): Plugin {
  return {
    name: 'lexer-alone',
    transform: (code, id) => (MODULE.test(id) ? { code: cutToLexer(code), map: null } : null),
  };
}

/** @throws when the module is not written as it was, so that somebody looks at a newer version. */
export function cutToLexer(code: string): string {
  const names = new Map(Array.from(code.matchAll(NAME), ([, own, name]) => [name, own]));
  const parser = names.get('Marked')?.replaceAll('$', '\\$');
  const end = code.search(new RegExp(`var [\\w$]+=new ${parser};`));
  if (names.size !== 3 || end === -1) throw new Error('marked.esm.js has another shape');
  const kept = `${names.get('Lexer')} as Lexer,${names.get('Tokenizer')} as Tokenizer`;
  return `${code.slice(0, end)}export{${kept}};`;
}
