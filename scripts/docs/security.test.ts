import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const DOCS = join(import.meta.dirname, '../../docs');
/** A link to a test: the exact name of the test in quotes, and the path of its file. */
const PROOF = /\["(.+?)"\]\(([^)\s]+\.test\.tsx?)\)/g;
const NO_PROOF = 'No test';

interface Proof {
  readonly name: string;
  readonly path: string;
}

function proofsIn(text: string): Proof[] {
  return [...text.matchAll(PROOF)].map(([, name = '', path = '']) => ({ name, path }));
}

/** Reports whether a source text declares a test, or a group of tests, with exactly this name. */
function declares(source: string, name: string): boolean {
  const declaration =
    /^[ \t]*(?:await )?[\w.]*\b(?:test|it|describe)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gm;
  return [...source.matchAll(declaration)].some(
    ([, , written = '']) => written.replaceAll(/\\(['"`])/g, '$1') === name,
  );
}

const threats = readFileSync(join(DOCS, 'security.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| **'));

test('every test that docs/security.md names exists in its file', () => {
  const proofs = threats.flatMap(proofsIn);
  assert.ok(proofs.length > 0);
  const missing = proofs.filter(({ name, path }) => {
    const file = join(DOCS, path);
    return !existsSync(file) || !declares(readFileSync(file, 'utf8'), name);
  });
  assert.deepEqual(missing, []);
});

test('every threat in docs/security.md names a test or says that there is none', () => {
  assert.ok(threats.length > 0);
  for (const threat of threats)
    assert.ok(proofsIn(threat).length > 0 || threat.includes(NO_PROOF), threat);
});

test('only a declaration with the exact name counts as the test', () => {
  const template = ['two $', '{n}'].join('');
  const source = [
    "test('one', () => {});",
    '  await t.test(',
    `    \`${template}\`, () => {});`,
    "// test('three', () => {});",
    "test.skip('four', () => {});",
    "it('it\\'s five', () => {});",
  ].join('\n');
  for (const name of ['one', template, "it's five"]) assert.ok(declares(source, name), name);
  for (const name of ['on', 'one ', 'two', 'three', 'four'])
    assert.ok(!declares(source, name), name);
});
