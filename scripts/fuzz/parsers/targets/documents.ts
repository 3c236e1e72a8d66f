import assert from 'node:assert/strict';
import { ExtractionError } from '../../../../packages/server/src/knowledge/parsers/extraction-error.ts';
import { parse as parseCsv } from '../../../../packages/server/src/knowledge/parsers/formats/csv.ts';
import { parse as parseHtml } from '../../../../packages/server/src/knowledge/parsers/formats/html.ts';
import { parse as parseJson } from '../../../../packages/server/src/knowledge/parsers/formats/json.ts';
import { parse as parseMarkdown } from '../../../../packages/server/src/knowledge/parsers/formats/markdown.ts';
import type { Parser } from '../../../../packages/server/src/knowledge/parsers/formats/parser.ts';
import { parse as parseText } from '../../../../packages/server/src/knowledge/parsers/formats/plain-text.ts';
import { PassageBuilder } from '../../../../packages/server/src/knowledge/parsers/passages/passage-builder.ts';
import type { Target } from '../target.ts';

const PARSERS: Readonly<Record<string, Parser>> = {
  c: parseCsv,
  h: parseHtml,
  j: parseJson,
  m: parseMarkdown,
  t: parseText,
};

/** Documents of the text formats. The first letter of an input chooses the format. */
export const documents: Target = {
  name: 'documents',
  sources: ['/knowledge/parsers/'],
  seeds: [
    'cname;price\n"a ""b""";5\nc;6\n',
    'h<!doctype html><html lang=de><title>T</title><h1>A</h1><p>b<br>c<ul><li>d<li>e</ul><table><tr><th>f<td colspan=2>g</table><script>x</script>',
    'j{"a":{"b":["c",1,true,null]},"d":"e"}',
    'm---\ntitle: T\n---\n# A\n\nb *c* [d](e)\n\n- f\n  1. g\n\n| h | i |\n|---|---|\n| j | k |\n\n```\nl\n```\n> m\n\n[n]: o',
    'tA line\n\nAnother paragraph. It has two sentences.',
  ],
  words: [
    '<table>',
    '<td>',
    '</table>',
    '<ul><li>',
    '<h2>',
    '&amp;',
    '<!--',
    '\n# ',
    '\n- ',
    '\n> ',
    '| a |',
    '|---|',
    '```',
    '[a]: b\n',
    '**',
    '\r\n',
    ';',
    '\t',
    '"',
    '""',
    '\ufeff',
    '\ud83d\ude00',
    '{"a":',
    '[',
    ']}',
    '\n---\n',
  ],
  share: 0.02,
  async check(input) {
    const parse = PARSERS[input.toString('latin1', 0, 1)] ?? parseText;
    const builder = new PassageBuilder();
    try {
      await parse(new Uint8Array(input.subarray(1)), builder.add);
    } catch (error) {
      assert.ok(error instanceof ExtractionError, String((error as Error).stack));
      return;
    }
    for (const { text, heading } of builder.finish())
      for (const one of [text, ...heading]) assert.ok(one.trim() !== '' && one.isWellFormed());
  },
};
