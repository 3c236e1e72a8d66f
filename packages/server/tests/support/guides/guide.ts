import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';

/** Root of the repository. Commands of guides that name files run here. */
export const ROOT = join(import.meta.dirname, '../../../../..');

/** A code block of a guide, without the indentation of its list. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** Line of the first code line, from 1. */
  readonly line: number;
  /** Reason why no test runs the block, from a comment `<!-- not run: … -->` in the line above it. */
  readonly notRun: string | null;
}

const BLOCK = /^(?:( *)<!-- not run: ([^\n]+) -->\n)?( *)```(\S*)[^\n]*\n(.*?)^\3```$/gms;

/** Returns the code blocks of a Markdown text. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(BLOCK)].map(
    ({ index, 0: all, 2: notRun = null, 3: indent = '', 4: language = '', 5: text = '' }) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: markdown.slice(0, index + all.indexOf('```')).split('\n').length + 1,
      notRun,
    }),
  );
}

/** The code blocks of one guide. */
export interface Guide {
  /** Returns the text of the next block, in the order of the guide. The block must have the language. */
  next(language: string): string;
  /** Returns the texts of all remaining blocks of a language. Skips the other blocks. */
  rest(language: string): string[];
  /** Compares the next block, an example of a response, with a real response. */
  compareNext(response: unknown): void;
  /** Returns the first table of the guide whose header starts with a word, as rows of cells. */
  table(word: string): string[][];
}

/**
 * Opens `docs/guides/<name>.md`. After all tests of the file, a failure names each block that no test has used and that has no comment
 * `<!-- not run: … -->`.
 *
 * @example
 * const guide = openGuide('permissions');
 * await run(guide.next('sh'));
 * guide.compareNext(response.json);
 */
export function openGuide(name: string): Guide {
  const path = `docs/guides/${name}.md`;
  const text = readFileSync(join(ROOT, path), 'utf8');
  const waiting = codeBlocks(text).filter(({ notRun }) => notRun === null);
  after(() => {
    const unused = waiting.map(({ line, language }) => `${path}:${line} (${language})`);
    assert.deepEqual(unused, [], 'no test uses these code blocks');
  });
  const take = (language: string) => {
    const block = waiting.shift();
    assert.equal(block?.language, language, `${path}:${block?.line}`);
    return block?.text ?? '';
  };
  return {
    next: take,
    rest(language) {
      const found = waiting.filter((block) => block.language === language);
      for (const block of found) waiting.splice(waiting.indexOf(block), 1);
      return found.map((block) => block.text);
    },
    compareNext: (response) => assertShows(take('json'), response),
    table: (word) => tableOf(text, word),
  };
}

/**
 * Asserts that an example of a response shows the members of the real response. `…` stands for text that differs, and
 * also for omitted members. Identifiers, times and secrets that contain `…` are not compared.
 */
export function assertShows(example: string, response: unknown): void {
  const shown: unknown = JSON.parse(example.replaceAll(/,\s*…(?=[,\s}\]])/g, ''));
  assertCovers(shown, response, '');
}

function assertCovers(shown: unknown, real: unknown, path: string): void {
  if (typeof shown === 'string' && typeof real === 'string') {
    if (isVariable(shown)) return;
  } else if (typeof shown === 'number' && typeof real === 'number') {
    // Unix times differ.
    if (shown > 1e9 && real > 1e9) return;
  } else if (
    typeof shown === 'object' &&
    shown !== null &&
    typeof real === 'object' &&
    real !== null
  ) {
    if (Array.isArray(shown)) assert.equal(shown.length, (real as unknown[]).length, path);
    for (const [name, value] of Object.entries(shown).filter(([name]) => name !== '…'))
      assertCovers(
        value,
        Object.entries(real).find(([key]) => key === name)?.[1],
        `${path}/${name}`,
      );
    return;
  }
  assert.deepEqual(real, shown, path);
}

/** Reports whether a text of an example stands for a value that differs in each run: an abbreviation, a time or a URL of the service. */
function isVariable(text: string): boolean {
  return text.includes('…') || /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);
}

function tableOf(text: string, word: string): string[][] {
  const [, table = ''] = new RegExp(`^(\\| ${word} .*?)\\n\\n`, 'ms').exec(text) ?? [];
  const rows = table.split('\n').map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  assert.ok(rows.length > 2, `the guide has no table that starts with ${word}`);
  return rows.filter((_, index) => index !== 1);
}

/** Returns the request of an `http` block: the request line, optional headers and a JSON body. */
export function parseRequest(block: string): { method: string; path: string; body: object } {
  const [, method = '', path = '', body = ''] =
    /^([A-Z]+) (\S+)\n(?:[\w-]+: .*\n)*\n?(\{.*)$/s.exec(block) ?? [];
  return { method, path, body: JSON.parse(body) };
}

/** Reason to skip tests of shell commands, or `false` if all tools are installed. */
export function skipWithout(...tools: readonly string[]): string | false {
  const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}
