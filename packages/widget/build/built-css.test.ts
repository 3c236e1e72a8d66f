import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const PACKAGES = join(import.meta.dirname, '../..');
const tokens = readFileSync(join(PACKAGES, 'widget/frame/styles/tokens.css'), 'utf8');

/** Returns the built style sheet of a package, as the service serves it. */
function builtCss(name: string): string {
  const [file, ...others] = globSync(join(PACKAGES, name, 'dist/style-*.css'));
  assert.ok(file !== undefined && others.length === 0, `run npm run build in packages/${name}`);
  return readFileSync(file, 'utf8');
}

function definedIn(css: string): Set<string> {
  return new Set([...css.matchAll(/(--[\w-]+)\s*:/g)].map(([, name = '']) => name));
}

for (const name of ['widget', 'console'])
  test(`the built style sheet of the ${name} defines each custom property that it uses`, () => {
    const css = builtCss(name);
    const defined = definedIn(css);
    const used = [...css.matchAll(/var\((--[\w-]+)\s*\)/g)].map(([, property = '']) => property);
    assert.ok(used.length > 20);
    assert.deepEqual(
      used.filter((property) => !defined.has(property)),
      [],
    );
  });

for (const name of ['widget', 'console'])
  test(`the built style sheet of the ${name} has all tokens, and leaves the choice between light and dark to the browser`, () => {
    const css = builtCss(name);
    const defined = definedIn(css);
    const names = [...definedIn(tokens)];
    assert.deepEqual(
      names.filter((property) => !defined.has(property)),
      [],
    );
    const count = (text: string) => text.split('light-dark(').length;
    assert.ok(count(css) >= count(tokens), 'light-dark() is replaced; see cssTarget');
  });
