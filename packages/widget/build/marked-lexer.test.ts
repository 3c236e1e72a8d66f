import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { lexer } from 'marked';
import { extractLexer } from './marked-lexer.ts';

const MARKED = fileURLToPath(import.meta.resolve('marked'));

test('the extracted lexer returns the same tokens as marked', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-lexer-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'lexer.mjs');
  writeFileSync(file, extractLexer(readFileSync(MARKED, 'utf8')));
  const { Lexer, Tokenizer } = await import(pathToFileURL(file).href);
  const text =
    '# A\n\n- *b* [c](https://docs.example)\n\n| d |\n|---|\n| `e` |\n\n> f\n\n```\ng\n```\n';
  const tokens = new Lexer({ gfm: true, tokenizer: new Tokenizer() }).lex(text);
  assert.deepEqual(tokens, lexer(text));
});

test('rejects a version of marked with an unexpected structure', () => {
  assert.throws(() => extractLexer('export{a as Lexer}'), /unexpected structure/);
});
