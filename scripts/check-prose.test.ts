import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { checkProse } from './check-prose.ts';

let root: string;
let base: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gatehouse-prose-'));
  git('init', '--quiet');
  commit(
    'a first commit whose subject is much longer than the seventy-two characters that are allowed',
  );
  base = git('rev-parse', 'HEAD').trim();
});
afterEach(() => rmSync(root, { recursive: true }));

function git(...args: string[]): string {
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@test.example'];
  return execFileSync('git', [...author, ...args], { cwd: root, encoding: 'utf8' });
}

function commit(subject: string): void {
  git('commit', '--quiet', '--allow-empty', '--no-verify', '--message', subject);
}

/** Creates a file with a comment and adds it to the git index. */
function withComment(file: string, comment: string): void {
  writeFileSync(join(root, file), `\n/*${comment}/\nexport const value = 1;\n`);
  git('add', file);
}

for (const word of ['What', 'Whether', 'Of', 'As', 'How', 'Where', 'Those', 'That', 'Which'])
  test(`checkProse rejects a doc comment that opens with "${word}"`, () => {
    withComment('one-line.ts', `* ${word} the link is active. *`);
    withComment('lines.tsx', `*\n * ${word} the link is active.\n *`);
    const { violations } = checkProse(root, base);
    assert.equal(violations.length, 2);
    assert.match(violations.join('\n'), new RegExp(`^lines\\.tsx:3: .*"${word}"`, 'm'));
    assert.match(violations.join('\n'), new RegExp(`^one-line\\.ts:2: .*"${word}"`, 'm'));
  });

test('checkProse accepts doc comments with other first words, ordinary comments, and untracked files', () => {
  withComment('verb.ts', '* Reports whether the link is active. *');
  withComment('longer-word.ts', '* Ascending order. *');
  withComment('plain.ts', ' What the link does. *');
  withComment('text.md', '* What the link does. *');
  withComment('untracked.ts', '* What the link does. *');
  git('rm', '--quiet', '--cached', 'untracked.ts');
  assert.deepEqual(checkProse(root, base), { violations: [], skipped: null });
});

test('checkProse rejects a subject over 72 characters if the commit is newer than the base', () => {
  commit('a'.repeat(72));
  assert.deepEqual(checkProse(root, base).violations, []);
  commit('a'.repeat(73));
  const { violations } = checkProse(root, base);
  assert.equal(violations.length, 1);
  assert.match(violations[0] ?? '', /73 characters; at most 72/);
});

test('checkProse skips the commits if the history does not contain the base', () => {
  commit('a'.repeat(73));
  const { violations, skipped } = checkProse(root, 'f'.repeat(40));
  assert.deepEqual(violations, []);
  assert.match(skipped ?? '', /fffffff/);
});
