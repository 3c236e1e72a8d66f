import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { codeBlocks, ROOT } from '../../packages/server/tests/support/guides/guide.ts';

const GUIDES = globSync('docs/guides/*.md', { cwd: ROOT }).sort();
const OPENED = new Map(
  globSync('packages/*/tests/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/openGuide\('([\w-]+)'\)/g)].map(
      ([, name = '']): [string, string] => [name, file],
    ),
  ),
);

test('a test opens every guide with code, and therefore runs each of its blocks', () => {
  const untested = GUIDES.filter((file) => {
    const blocks = codeBlocks(readFileSync(join(ROOT, file), 'utf8'));
    return blocks.length > 0 && !OPENED.has(basename(file, '.md'));
  });
  assert.deepEqual(untested, []);
});

test('the blocks that no test runs have a reason and are few', (t) => {
  const notRun = GUIDES.flatMap((file) =>
    codeBlocks(readFileSync(join(ROOT, file), 'utf8'))
      .filter((block) => block.notRun !== null)
      .map(({ line, notRun }) => `${file}:${line}: ${notRun}`),
  );
  for (const block of notRun) t.diagnostic(block);
  assert.ok(notRun.length <= 5, 'write a test instead');
});

test('finds indented blocks, their languages and the comments above them', () => {
  const markdown = [
    '1. Step:',
    '',
    '   <!-- not run: needs a broker -->',
    '   ```sh',
    '   a',
    '     b',
    '   ```',
    '',
    '```',
    'text',
    '```',
    '',
  ].join('\n');
  assert.deepEqual(codeBlocks(markdown), [
    { language: 'sh', text: 'a\n  b\n', line: 5, notRun: 'needs a broker' },
    { language: '', text: 'text\n', line: 10, notRun: null },
  ]);
});

test('no code block of a guide is overlooked', () => {
  for (const file of GUIDES) {
    const markdown = readFileSync(join(ROOT, file), 'utf8');
    const fences = markdown.match(/^ *```/gm) ?? [];
    assert.equal(codeBlocks(markdown).length, fences.length / 2, file);
  }
});
