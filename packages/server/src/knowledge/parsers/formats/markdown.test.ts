import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf, passagesOf, read } from '../documents.suite.ts';

const TYPE = 'text/markdown';

describe('Markdown', () => {
  test('gives headings, text without marks, quotes and code', async () => {
    const text = `# A &amp; \\*B\\*

One **bold** [link](http://x.example "t") \`c  d\` ![picture](p.png)
soft  \nhard

Setext
------
> quote
> more

\`\`\`js
a();
  b();
\`\`\`
`;
    assert.deepEqual(await passagesOf(text, TYPE), [
      'A & *B*: One bold link c d picture soft\nhard',
      'A & *B* > Setext: quote more\n\na();\n  b();',
    ]);
  });

  test('keeps lists with their levels, and names the columns of tables', async () => {
    const text = '- a\n  1. b\n  2. c\n\n- [x] d\n\n|N|M|\n|-|-|\n|1|**2**|\n';
    assert.deepEqual(await passagesOf(text, TYPE), ['- a\n  1. b\n  2. c\n- [x] d\n\nN: 1 | M: 2']);
  });

  test('reads the HTML in it as HTML', async () => {
    const text =
      '<details><summary>More</summary>\n\ninner<br>text\n\n</details>\n<script>no()</script>';
    assert.deepEqual(await passagesOf(text, TYPE), ['More\n\ninner\ntext']);
  });

  test('takes title and language from the fields before it, else the first heading', async () => {
    const { title, language, passages } = await read(
      '---\ntitle: "A: b"\nlang: pt_BR\n---\nText',
      TYPE,
    );
    assert.deepEqual({ title, language }, { title: 'A: b', language: 'pt-BR' });
    assert.deepEqual(passages, [{ heading: [], text: 'Text' }]);
    assert.equal((await read('## B\n\n# A\n\ntext', TYPE)).title, 'A');
    assert.equal((await read('---\nnot closed', TYPE)).title, null);
  });

  test('nested 100,000 levels deep is an answer, not an end', async () => {
    assert.match(await failureOf(`${'>'.repeat(100_000)} a`, TYPE), /^too-complex: /);
    const brackets = `${'['.repeat(10_000)}a${']'.repeat(10_000)}`;
    assert.ok((await read(brackets, TYPE)).passages.length > 0);
  });
});
