import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
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

/** Renders Markdown without the surrounding element and the constant attributes. */
function innerHtml(text: string, isStreaming = false): string {
  return html(text, isStreaming)
    .replace(/^<div class="answer-text"(?: dir="\w+")?>|<\/div>$/g, '')
    .replaceAll(' target="_blank" rel="noopener noreferrer nofollow"', '')
    .replaceAll('&quot;', '"')
    .replaceAll(' dir="auto"', '')
    .replaceAll(' dir="ltr"', '');
}

const WORD = /^[a-z-]+$/;
const DIR = /^(?:auto|ltr|rtl)$/;
/** The allowed elements of an answer, with the allowed attributes and values. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ...Object.fromEntries(
    ['p', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, { dir: DIR, class: /^(?:plain|formula)$/ }]),
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
    dir: DIR,
    role: /^group$/,
    'aria-label': /^Table: /,
    tabindex: /^0$/,
  },
  span: { class: /^(?:code-language|formula)$/, dir: DIR },
  pre: { dir: DIR, role: /^group$/, 'aria-label': /^Code/, tabindex: /^0$/ },
  bdi: { class: /^true-address$/ },
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

/**
 * Returns the rendered text without the languages of code blocks, because a language is rendered only after its line is
 * complete.
 */
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

test('renders only allowed elements and attributes for any text, even while the text streams', () => {
  fc.assert(
    fc.property(hostileText, steps, (text, lengths) => {
      for (const prefix of prefixesOf(text, lengths)) assertHarmless(html(prefix, true));
      assertHarmless(html(text));
    }),
    { numRuns: 400 },
  );
});

test('rendered text never disappears or changes while an answer streams', () => {
  fc.assert(
    fc.property(wellFormedText, (text) => {
      const final = shownText(html(text));
      for (const prefix of prefixesOf(text, [1])) {
        const shown = shownText(html(prefix, true));
        assert.ok(final.startsWith(shown), JSON.stringify({ prefix, shown, final }));
      }
    }),
    { numRuns: roundsOf(15, 200) },
  );
});

describe('answer text', () => {
  const CASES: Readonly<Record<string, readonly [string, string]>> = {
    'headings below those of the page': [
      '# A\n## B\n#### C\n###### D',
      '<h3>A</h3><h4>B</h4><h6>C</h6><h6>D</h6>',
    ],
    emphasis: [
      '*a* **b** ~~c~~ `d`',
      '<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>',
    ],
    'line breaks': ['a  \nb\\\nc<br>d', '<p>a<br/>b<br/>c<br/>d</p>'],
    'thematic breaks': ['a\n\n---\n\nb', '<p>a</p><hr/><p>b</p>'],
    quotes: ['> a\n> > b', '<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>'],
    'nested lists': ['- a\n  - b\n- c', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>'],
    'lists with a start number': ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    'task lists': ['- [ ] a\n- [x] b', '<ul><li>☐ a</li><li>☑ b</li></ul>'],
    'character references': ['&lt;b&gt; \\*c\\* &copy;', '<p>&lt;b> *c* ©</p>'],
    links: [
      '[a *b*](https://docs.example)',
      '<p><a href="https://docs.example/">a <em>b</em></a></p>',
    ],
    autolinks: [
      'https://docs.example/?a=1&copy=2',
      '<p><a href="https://docs.example/?a=1&amp;copy=2">https://docs.example/?a=1&amp;copy=2</a></p>',
    ],
    'links with a forbidden scheme as text': [
      '[a *b*](javascript:c) [d](/e)',
      '<p>a <em>b</em> d</p>',
    ],
    'links without text as their host': [
      '[](https://docs.example)',
      '<p><a href="https://docs.example/">docs.example</a></p>',
    ],
    'disguised links with their real host': [
      '[bank.example](https://evil.example)',
      '<p><a href="https://evil.example/">bank.example</a> <bdi class="true-address">(evil.example)</bdi></p>',
    ],
    'images as links': [
      '![A chart](https://docs.example/i.png)',
      '<p><a href="https://docs.example/i.png">Image: A chart (docs.example)</a></p>',
    ],
    'images with a forbidden scheme as text': ['![A chart](data:image/png,x)', '<p>A chart</p>'],
    'images in links as their alternative text': [
      '[![bank.example](https://bank.example/i.png)](https://evil.example)',
      '<p><a href="https://evil.example/">bank.example</a> <bdi class="true-address">(evil.example)</bdi></p>',
    ],
    'HTML as text': ['<b onclick="x">a</b>', '<p>&lt;b onclick="x">a&lt;/b></p>'],
  };
  for (const [name, [text, expected]] of Object.entries(CASES))
    test(`renders ${name}`, () => assert.equal(innerHtml(text), expected));

  test('renders tables in a scrollable region', () => {
    assert.equal(
      innerHtml('| a | b |\n|:-:|--:|\n| *c* | d |'),
      '<div class="table" role="group" aria-label="Table: a, b" tabindex="0"><table>' +
        '<thead><tr><th class="center" scope="col">a</th><th class="right" scope="col">b</th></tr></thead>' +
        '<tbody><tr><td class="center"><em>c</em></td><td class="right">d</td></tr></tbody></table></div>',
    );
  });

  test('renders code blocks with their language and a copy button', () => {
    assert.equal(
      innerHtml('```js title="x"\nlet a = "<b>";\n\n```'),
      '<div class="code"><div class="code-head"><span class="code-language">js</span>' +
        '<button type="button" class="code-copy" aria-label="Copy code">Copy</button></div>' +
        '<pre tabindex="0" role="group" aria-label="Code: js"><code>let a = "&lt;b>";\n</code></pre></div>',
    );
  });
});

describe('citations', () => {
  const buttons = (text: string) =>
    Array.from(
      html(text).matchAll(/<button[^>]*aria-label="([^"]*)"[^>]*>(\d+)</g),
      ([, label, number]) => [label, number],
    );

  test('a citation of a known source is a button that opens the source', () => {
    assert.deepEqual(
      buttons('a [1] b **[1][2]** c [1, 2]').map(([, number]) => number),
      ['1', '1', '2', '1', '2'],
    );
    assert.equal(buttons('[1]')[0]?.[0], 'Open source 1: Handbook.pdf');
  });

  test('citations of unknown sources disappear with the white space before them', () => {
    assert.equal(innerHtml('a [3] b【7】. **c** [4][5].'), '<p>a b. <strong>c</strong>.</p>');
    assert.deepEqual(
      buttons('[1, 3]').map(([, number]) => number),
      ['1'],
    );
  });

  test('zero in brackets is rendered as text, because no source has this number', () => {
    assert.equal(innerHtml('a[0] b [0, 9]'), '<p>a[0] b [0, 9]</p>');
  });

  test('a citation never appears as text while an answer streams', () => {
    for (const text of ['Yes [1].', 'Yes [7].', 'Yes [1, 7][2].', '是【1】。', '是［7，8］。'])
      for (const prefix of prefixesOf(text, [1]))
        assert.doesNotMatch(
          innerHtml(prefix, true).replace(/<button.*?<\/button>/g, ''),
          /[[【［\d]/,
          prefix,
        );
  });

  test('citations in code, in links and after a backslash are rendered as text', () => {
    assert.deepEqual(buttons('`[1]` [a [1]](https://docs.example) \\[1\\]\n\n```\n[1]\n```'), []);
  });

  test('the label of a citation contains no hidden characters', () => {
    assert.equal(buttons('[2]')[0]?.[0], 'Open source 2: invoicefdp.exe');
  });
});

describe('text direction', () => {
  test('lists, quotes and tables have the direction of their text', () => {
    assert.match(html('- **مرحبا** a\n- 5\n\nb'), /<ul dir="rtl"><li>/);
    assert.match(html('> مرحبا'), /<blockquote dir="rtl"><p dir="auto">/);
    assert.match(html('| مرحبا |\n|---|'), /<table dir="rtl">/);
  });

  test('a list with items of both directions, or without letters, has the direction of the answer', () => {
    for (const items of ['- مرحبا\n- b', '- 5\n- 6']) {
      assert.match(html(`مرحبا\n\n${items}`), /^<div [^>]*dir="rtl">.*<ul><li>/);
      assert.match(html(`Hello\n\n${items}`), /^<div [^>]*dir="ltr">.*<ul><li>/);
    }
  });

  test('code is always rendered left to right', () => {
    assert.match(html('```\nمرحبا = 1\n```'), /<pre[^>]* dir="ltr"/);
  });
});
