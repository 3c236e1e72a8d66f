import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf, passagesOf, read } from '../documents.suite.ts';

const TYPE = 'text/markdown';

describe('the Markdown parser', () => {
  test('reads tables, quotations and HTML in the items of a list', async () => {
    const item = `1. Choose a size

   | Size | Price |
   |------|-------|
   | S    | 10    |

   > Careful: hot
   >
   > Wear gloves

   <details><summary>More</summary><p>Details 4711</p></details>
2. Order`;
    assert.deepEqual(await passagesOf(item, TYPE), [
      '1. Choose a size\n   Size: S | Price: 10\n   Careful: hot\n   Wear gloves\n   More\n   Details 4711\n2. Order',
    ]);
  });

  test('omits the identifier of a heading', async () => {
    const { title, passages } = await read('# Returns {#returns}\n\nSend it back.', TYPE);
    assert.deepEqual([title, passages[0]?.heading], ['Returns', ['Returns']]);
  });

  test('returns headings, plain text, quotes and code', async () => {
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

  test('leaves out text that is struck out, and keeps the meaning of powers and alerts', async () => {
    const text =
      '~~90~~ <s>80</s> 70 EUR for 20 m<sup>2</sup>, H~2~O, 10<sup>6</sup> g\n\n> [!WARNING]\n> Hot.\n\n> [!NOTE]\n>\n> Cold.';
    assert.deepEqual(await passagesOf(text, TYPE), [
      '70 EUR for 20 m², H2O, 10^6 g\n\nWarning: Hot.\n\nNote:\n\nCold.',
    ]);
  });

  test('keeps the levels of lists and the column names of tables', async () => {
    const text = '- a\n  1. b\n  2. c\n\n- [x] d\n\n|N|M|\n|-|-|\n|1|**2**|\n';
    assert.deepEqual(await passagesOf(text, TYPE), ['- a\n  1. b\n  2. c\n- [x] d\n\nN: 1 | M: 2']);
  });

  test('parses embedded HTML', async () => {
    const text =
      '<details><summary>More</summary>\n\ninner<br>text\n\n</details>\n<script>no()</script>';
    assert.deepEqual(await passagesOf(text, TYPE), ['More\n\ninner\ntext']);
  });

  test('reads title and language from front matter, or the title from the first heading', async () => {
    const { title, language, passages } = await read(
      '---\ntitle: "A: b"\nlang: pt_BR\n---\nText',
      TYPE,
    );
    assert.deepEqual({ title, language }, { title: 'A: b', language: 'pt-BR' });
    assert.deepEqual(passages, [{ heading: [], text: 'Text' }]);
    assert.equal((await read('## B\n\n# A\n\ntext', TYPE)).title, 'A');
    assert.equal((await read('---\nnot closed', TYPE)).title, null);
  });

  test('reports 30,000 nested levels as too complex', async () => {
    assert.match(await failureOf(`${'>'.repeat(30_000)} a`, TYPE), /^too-complex: /);
    const brackets = `${'['.repeat(3000)}a${']'.repeat(3000)}`;
    assert.ok((await read(brackets, TYPE)).passages.length > 0);
  });
});
