import fc from 'fast-check';

/** Fragments of attacks on Markdown, and of input that makes parsers slow or wrong. */
export const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<a href="javascript:alert(1)" style="x" id=x class=y>',
  '<!--',
  '-->',
  '<br>',
  '![x](https://evil.example/?d=1)',
  '![](data:image/svg+xml,x)',
  '[a](javascript:alert(1))',
  '[a](JAVA\tSCRIPT:alert(1))',
  '[a](java&#10;script&colon;alert(1))',
  '[a](data:text/html,x)',
  '[a](//evil.example)',
  '[bank.example](https://bank.example@evil.example "title\\" onclick=x")',
  '[1]: https://evil.example',
  '[1]',
  '[1][2]',
  '【3】',
  '[`](`)',
  '[![b](http://i.example)](http://t.example)',
  '<https://a.example>',
  'https://a.example/b',
  'www.a.example',
  'a@b.example',
  '\u202e',
  '\u2066',
  '\u{e0041}',
  '\ud83d',
  '&#8238;',
  '&lt;b&gt;',
  '`',
  '```',
  '```js onload=x\n',
  '~~~',
  '*',
  '**',
  '***',
  '_',
  '__',
  '~~',
  '[',
  ']',
  '](',
  '(',
  ')',
  '!',
  '\\',
  '>',
  '> ',
  '- ',
  '1. ',
  '2',
  '# ',
  '| a | b |\n|---|:-:|\n',
  '|',
  '|-|',
  '---',
  '===',
  '- [ ] ',
  '    ',
  '\t',
  ' ',
  '\n',
  '\n\n',
  '\r\n',
  'a',
  'word word',
  'مرحبا',
  '你好。',
] as const;

export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...HOSTILE), { maxLength: 40 })
  .map((pieces) => pieces.join(''));

const word = fc.constantFrom('alpha', 'beta', 'Gamma', 'one', '12', 'مرحبا', '你好', 'x2y', 'a_b');
const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '));
const phrase = fc.oneof(
  { weight: 4, arbitrary: words },
  words.map((text) => `**${text}**`),
  words.map((text) => `*${text}*`),
  words.map((text) => `***${text}***`),
  words.map((text) => `~~${text}~~`),
  words.map((text) => `\`${text}\``),
  words.map((text) => `**${text} *${text}* ${text}**`),
  words.map((text) => `[see ${text}](https://docs.example/a_b?c=*d*)`),
  words.map((text) => `**[see ${text}](https://docs.example)**`),
  words.map((text) => `![${text}](https://docs.example/i.png)`),
  words.map((text) => `(${text})`),
  fc.constantFrom(
    'https://docs.example/x',
    '<https://docs.example>',
    '[1]',
    '[1][2]',
    '&amp;',
    '2 * 3',
    '\\*',
  ),
);
const line = fc.array(phrase, { minLength: 1, maxLength: 5 }).map((all) => `So ${all.join(' ')}.`);
const block = fc.oneof(
  { weight: 3, arbitrary: line },
  line.map((text) => `## ${text}`),
  fc
    .array(line, { minLength: 1, maxLength: 4 })
    .map((all) => all.map((text) => `- ${text}`).join('\n')),
  fc
    .array(line, { minLength: 1, maxLength: 4 })
    .map((all) => all.map((text, at) => `${at + 1}. ${text}`).join('\n')),
  fc.tuple(line, line).map(([outer, inner]) => `- ${outer}\n  - ${inner}\n- ${outer}`),
  fc.tuple(line, line).map(([one, two]) => `- ${one}\n\n- ${two}`),
  line.map((text) => `> ${text}`),
  line.map((text) => `- [x] ${text}`),
  fc.constantFrom('---', '```js\nlet a = `b`;\n\n// *c*\n```', '~~~\n```\n~~~', '```\n\n```'),
  fc.array(words, { minLength: 2, maxLength: 3 }).map((cells) => {
    const row = `| ${cells.join(' | ')} |`;
    return `${row}\n|${cells.map(() => ' --- ').join('|')}|\n${row}\n${row}`;
  }),
);

/** Well-formed Markdown that models typically write. */
export const wellFormedText: fc.Arbitrary<string> = fc
  .array(block, { minLength: 1, maxLength: 5 })
  .map((blocks) => blocks.join('\n\n'));

/** Returns the prefixes of a text that arrives in parts. The lengths of the parts are `steps`, repeated cyclically. */
export function prefixesOf(text: string, steps: readonly number[]): string[] {
  const prefixes: string[] = [];
  for (let end = 0, at = 0; end < text.length; at++) {
    end += steps[at % steps.length] ?? 1;
    prefixes.push(text.slice(0, end));
  }
  return prefixes;
}

export const steps: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 1, max: 9 }), {
  minLength: 1,
  maxLength: 8,
});
