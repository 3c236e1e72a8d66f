import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { en } from '../translations/en.ts';
import { AnswerText } from './answer-text.ts';
import { hostileText, prefixesOf, steps, wellFormedText } from './markdown.arbitraries.ts';

const sources = new Map([
  [1, { title: 'Handbook.pdf' }],
  [2, { title: 'invoice\u202efdp.exe' }],
]);

function html(text: string, isStreaming = false): string {
  return renderToString(h(AnswerText, { text, isStreaming, strings: en, sources, onCite() {} }));
}

/** Without what is around the answer. */
function inside(text: string, isStreaming = false): string {
  return html(text, isStreaming)
    .replace(/^<div class="answer-text">|<\/div>$/g, '')
    .replaceAll(' target="_blank" rel="noopener noreferrer nofollow"', '')
    .replaceAll('&quot;', '"')
    .replaceAll(' dir="auto"', '')
    .replaceAll(' dir="ltr"', '');
}

/** The elements that an answer may have, with their attributes, and what these may be. */
const WORD = /^[a-z-]+$/;
const DIR = /^(?:auto|ltr|rtl)$/;
const ALLOWED: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ...Object.fromEntries(
    ['p', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, { dir: DIR, class: /^plain$/ }]),
  ),
  ...Object.fromEntries(
    ['strong', 'em', 'del', 'br', 'hr', 'thead', 'tbody', 'tr'].map((name) => [name, {}]),
  ),
  ...Object.fromEntries(
    ['ul', 'li', 'blockquote', 'table', 'code'].map((name) => [name, { dir: DIR }]),
  ),
  ol: { dir: DIR, start: /^\d{1,9}$/ },
  td: { dir: DIR, class: /^(?:left|center|right)$/ },
  th: { dir: DIR, class: /^(?:left|center|right)$/, scope: /^col$/ },
  div: {
    class: /^(?:answer-text|table|code|code-head)$/,
    role: /^group$/,
    'aria-label': /^Table: /,
    tabindex: /^0$/,
  },
  span: { class: /^code-language$/, dir: DIR },
  pre: { dir: DIR, role: /^group$/, 'aria-label': /^Code/, tabindex: /^0$/ },
  bdi: { class: /^true-place$/ },
  button: { type: /^button$/, class: WORD, 'aria-label': /^(?:Open source [12]: |Copy code$)/ },
  a: {
    href: /^(?:https?:\/\/[^\s@/?#]+[/?#]\S*|mailto:[^\s?]+|tel:[^\s?]+)$/,
    target: /^_blank$/,
    rel: /^noopener noreferrer nofollow$/,
    dir: DIR,
  },
};
const HIDDEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

function assertHarmless(rendered: string): void {
  let inLink = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      const allowed = ALLOWED[name];
      assert.ok(allowed !== undefined, name);
      for (const [attribute, value] of Object.entries(attributes)) {
        const values: RegExp | undefined = Object.hasOwn(allowed, attribute)
          ? allowed[attribute]
          : undefined;
        assert.ok(values !== undefined, `${name} ${attribute}`);
        assert.match(value, values, `${name} ${attribute}`);
        assert.doesNotMatch(value, HIDDEN, `${name} ${attribute}`);
      }
      assert.ok(!inLink || !['a', 'button'].includes(name), `${name} in a link`);
      if (name === 'a') inLink = true;
    },
    onclosetag(name) {
      if (name === 'a') inLink = false;
    },
    ontext: (text) => assert.doesNotMatch(text, HIDDEN),
    oncomment: () => assert.fail('a comment'),
    onprocessinginstruction: () => assert.fail('an instruction'),
  });
  parser.end(rendered);
}

/** What a reader reads, but for the name of a language, which is not there before its line has ended. */
function shownText(rendered: string): string {
  let text = '';
  let inHead = false;
  const parser = new Parser({
    onopentag(_, { class: name }) {
      if (name === 'code-head') inHead = true;
    },
    onclosetag(name) {
      if (name === 'div') inHead = false;
    },
    ontext(part) {
      if (!inHead) text += part;
    },
  });
  parser.end(rendered);
  return text.replace(/\s+/g, '');
}

test('no text becomes an element or attribute that is not on the list, at any moment of its coming', () => {
  fc.assert(
    fc.property(hostileText, steps, (text, lengths) => {
      for (const prefix of prefixesOf(text, lengths)) assertHarmless(html(prefix, true));
      assertHarmless(html(text));
    }),
    { numRuns: 400 },
  );
});

test('nothing that is shown while an answer comes goes away or changes', () => {
  fc.assert(
    fc.property(wellFormedText, (text) => {
      const final = shownText(html(text));
      for (const prefix of prefixesOf(text, [1])) {
        const shown = shownText(html(prefix, true));
        assert.ok(final.startsWith(shown), JSON.stringify({ prefix, shown, final }));
      }
    }),
    { numRuns: process.env['GATEHOUSE_TEST_CHAOS'] === 'full' ? 200 : 15 },
  );
});

describe('Markdown is elements', () => {
  const CASES: Readonly<Record<string, readonly [string, string]>> = {
    'headings below those of the page': [
      '# A\n## B\n#### C\n###### D',
      '<h3>A</h3><h4>B</h4><h6>C</h6><h6>D</h6>',
    ],
    emphasis: [
      '*a* **b** ~~c~~ `d`',
      '<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>',
    ],
    'breaks of lines': ['a  \nb\\\nc<br>d', '<p>a<br/>b<br/>c<br/>d</p>'],
    rules: ['a\n\n---\n\nb', '<p>a</p><hr/><p>b</p>'],
    quotes: ['> a\n> > b', '<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>'],
    'nested lists': ['- a\n  - b\n- c', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>'],
    'lists that begin with a number': ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    tasks: ['- [ ] a\n- [x] b', '<ul><li>☐ a</li><li>☑ b</li></ul>'],
    'characters by reference': ['&lt;b&gt; \\*c\\* &copy;', '<p>&lt;b> *c* ©</p>'],
    links: [
      '[a *b*](https://docs.example)',
      '<p><a href="https://docs.example/">a <em>b</em></a></p>',
    ],
    addresses: [
      'https://docs.example/?a=1&copy=2',
      '<p><a href="https://docs.example/?a=1&amp;copy=2">https://docs.example/?a=1&amp;copy=2</a></p>',
    ],
    'links that are not allowed': ['[a *b*](javascript:c) [d](/e)', '<p>a <em>b</em> d</p>'],
    'links without text': [
      '[](https://docs.example)',
      '<p><a href="https://docs.example/">docs.example</a></p>',
    ],
    'links in disguise': [
      '[bank.example](https://evil.example)',
      '<p><a href="https://evil.example/">bank.example</a> <bdi class="true-place">(evil.example)</bdi></p>',
    ],
    'images as links': [
      '![A chart](https://docs.example/i.png)',
      '<p><a href="https://docs.example/i.png">Image: A chart (docs.example)</a></p>',
    ],
    'images that are not allowed': ['![A chart](data:image/png,x)', '<p>A chart</p>'],
    'images in links': [
      '[![bank.example](https://bank.example/i.png)](https://evil.example)',
      '<p><a href="https://evil.example/">bank.example</a> <bdi class="true-place">(evil.example)</bdi></p>',
    ],
    'HTML as text': ['<b onclick="x">a</b>', '<p>&lt;b onclick="x">a&lt;/b></p>'],
  };
  for (const [name, [text, expected]] of Object.entries(CASES))
    test(name, () => assert.equal(inside(text), expected));

  test('tables, which scroll by themselves', () => {
    assert.equal(
      inside('| a | b |\n|:-:|--:|\n| *c* | d |'),
      '<div class="table" role="group" aria-label="Table: a, b" tabindex="0"><table>' +
        '<thead><tr><th class="center" scope="col">a</th><th class="right" scope="col">b</th></tr></thead>' +
        '<tbody><tr><td class="center"><em>c</em></td><td class="right">d</td></tr></tbody></table></div>',
    );
  });

  test('code with its language and a button to copy it', () => {
    assert.equal(
      inside('```js title="x"\nlet a = "<b>";\n\n```'),
      '<div class="code"><div class="code-head"><span class="code-language">js</span>' +
        '<button type="button" class="code-copy" aria-label="Copy code">Copy</button></div>' +
        '<pre tabindex="0" role="group" aria-label="Code: js"><code>let a = "&lt;b>";\n</code></pre></div>',
    );
  });
});

describe('numbers in brackets', () => {
  const buttons = (text: string) =>
    Array.from(
      html(text).matchAll(/<button[^>]*aria-label="([^"]*)"[^>]*>(\d+)</g),
      ([, label, number]) => [label, number],
    );

  test('open the sources that there are', () => {
    assert.deepEqual(
      buttons('a [1] b **[1][2]** c [1, 2]').map(([, number]) => number),
      ['1', '1', '2', '1', '2'],
    );
    assert.equal(buttons('[1]')[0]?.[0], 'Open source 1: Handbook.pdf');
  });

  test('are text where there is no such source', () => {
    assert.equal(inside('a [3] b [0, 9]'), '<p>a [3] b [0, 9]</p>');
    assert.match(inside('[1, 3]'), /<\/button>\[3\]/);
  });

  test('are text in code, in links and where they are escaped', () => {
    assert.deepEqual(buttons('`[1]` [a [1]](https://docs.example) \\[1\\]\n\n```\n[1]\n```'), []);
  });

  test('name sources without what would disguise their names', () => {
    assert.equal(buttons('[2]')[0]?.[0], 'Open source 2: invoicefdp.exe');
  });
});

describe('text that runs from right to left', () => {
  test('has lists, quotes and tables on its side', () => {
    assert.match(html('- **مرحبا** a\n- b'), /<ul dir="rtl"><li dir="rtl">.*<li dir="ltr">/);
    assert.match(html('> مرحبا'), /<blockquote dir="rtl"><p dir="auto">/);
    assert.match(html('| مرحبا |\n|---|'), /<table dir="rtl">/);
  });

  test('does not turn around code', () => {
    assert.match(html('```\nمرحبا = 1\n```'), /<pre[^>]* dir="ltr"/);
  });
});
