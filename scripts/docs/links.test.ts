import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const LINK = /\]\((?![a-z]+:|#|\/)([^)#\s]+)/g;
const CODE = /```[\s\S]*?```|`[^`\n]*`/g;

test('docs/README.md links to every guide', () => {
  const index = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
  const guides = globSync('guides/*.md', { cwd: join(ROOT, 'docs') });
  assert.ok(guides.length > 0);
  assert.deepEqual(
    guides.filter((guide) => !index.includes(`(${guide}`)),
    [],
  );
});

test('every relative link in a document points to an existing file', () => {
  const documents = globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] });
  assert.ok(documents.length > 0);
  const broken = documents.flatMap((document) => {
    const text = readFileSync(join(ROOT, document), 'utf8').replace(CODE, '');
    return [...text.matchAll(LINK)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(ROOT, dirname(document), target)))
      .map((target) => `${document}: ${target}`);
  });
  assert.deepEqual(broken, []);
});
