import assert from 'node:assert/strict';
import {
  highlight,
  readQuery,
  SNIPPET_LENGTH,
  sentencesOf,
  tokenise,
} from '../../../../packages/server/src/lib/text/index.ts';
import type { Target } from '../target.ts';

/** A query, an empty line, and the text of a passage. */
export const search: Target = {
  name: 'search',
  sources: ['/lib/text/'],
  seeds: [
    'refund policy\n\nThe refund policy applies to all orders. Contact support@example.com.',
    '"annual report" e-mail\n\nUnser e-mail-Archiv enthält den „annual report“ 2025.',
    '東京 タワー\n\n東京タワーは日本の電波塔です。高さは333メートル。',
    'النقل\n\nسياسة النقل في الشركة. तेज़ गाड़ी। ไทยไม่มีช่องว่าง',
    'c++ c# 3.5\n\nC++ and C# 3.5, \u{1f469}\u200d\u{1f4bb} e\u0301 \ufb01n',
  ],
  words: [
    '"',
    '„',
    '«',
    '-',
    '\u0301',
    '\u200d',
    '\u{1f1e9}\u{1f1ea}',
    '. ',
    '。',
    '++',
    '#',
    '\u00ad',
    'ﬁ',
    'İ',
    'ß',
    '\ufffd',
    ' ',
    '\n\n',
  ],
  share: 0.3,
  check(input) {
    const [text = '', ...rest] = input.toString().split('\n\n');
    const passage = rest.join('\n\n');
    let end = 0;
    for (const token of tokenise(passage)) {
      assert.ok(token.term.length > 0 && token.start < token.end && token.end <= passage.length);
      end = Math.max(end, token.end);
    }
    const query = readQuery(text);
    const { snippet, start, ranges } = highlight(passage, query);
    assert.ok(snippet.length <= SNIPPET_LENGTH);
    assert.equal(passage.slice(start, start + snippet.length), snippet);
    let last = -1;
    for (const [from, to] of ranges) {
      assert.ok(from > last && from < to && to <= snippet.length, 'the ranges are wrong');
      last = to;
    }
    for (const sentence of sentencesOf(passage)) assert.ok(passage.includes(sentence));
  },
};
