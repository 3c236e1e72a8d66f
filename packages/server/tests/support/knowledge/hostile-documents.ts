import { deflateSync } from 'node:zlib';
import {
  docxOf,
  pdfOfObjects,
  stream,
  wordParagraph,
  zipOfOne,
} from '../../../src/knowledge/parsers/documents.suite.ts';

const MIB = 1024 * 1024;

/** Returns a PDF of one page. `entries` describes the content's encoding. */
export function pdfOfContent(content: string, entries = ''): Buffer {
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R
       /Resources << /Font << /F1 4 0 R >> >> >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    stream(content, entries),
  ]);
}

/** Returns a PDF that takes hours to parse. Each of 12 nested forms draws the next form ten times. */
export function endlessPdf(): Buffer {
  const depth = 12;
  const first = 6;
  const form = (n: number) => `/Font << /F1 4 0 R >> /XObject << /X ${first + n} 0 R >>`;
  const head = (n: number) =>
    `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << ${form(n)} >>`;
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << ${form(0)} >> >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    stream('/X Do'),
    ...Array.from({ length: depth }, (_, n) => stream('/X Do '.repeat(10), head(n + 1))),
    stream('BT /F1 1 Tf (a) Tj ET', head(depth)),
  ]);
}

export interface HostileDocument {
  readonly what: string;
  readonly name: string;
  readonly content: () => Buffer;
  /** Matches the reason of the failure. */
  readonly reason: RegExp;
}

/** Returns documents that once took hundreds of megabytes or several seconds. */
export function hostileDocuments(): HostileDocument[] {
  const spaces = (mebibytes: number) => Buffer.alloc(mebibytes * MIB, ' ');
  const listOf = (depth: number) =>
    Array.from({ length: depth }, (_, level) => `${'  '.repeat(level)}- a\n`).join('');
  const document = (
    what: string,
    name: string,
    reason: RegExp,
    content: () => string | Buffer,
  ): HostileDocument => ({ what, name, reason, content: () => Buffer.from(content()) });
  return [
    document(
      '200,000 nested quotes',
      'quotes.md',
      /nested deeper/,
      () => `${'>'.repeat(200_000)} a`,
    ),
    document('a nested list of 4 MB', 'list.md', /nested deeper/, () => listOf(2000)),
    document('20 MB of Markdown', 'large.md', /more than/, () =>
      '# Title\n\nText. '.repeat(1_300_000),
    ),
    document('one Markdown list of 9 MB', 'long.md', /memory/, () => '- item\n'.repeat(1_300_000)),
    document('20 MB of CSV', 'large.csv', /more than|longer than/, () =>
      'name,city\nAda,London\n'.repeat(1_000_000),
    ),
    document(
      '20 MB of JSON',
      'large.json',
      /more than|longer than/,
      () => `[${'{"a":"text"},'.repeat(1_500_000)}0]`,
    ),
    document('a million nested tags', 'tags.html', /nested deeper/, () =>
      '<div>'.repeat(1_000_000),
    ),
    document('a PDF that unpacks to 400 MB', 'bomb.pdf', /memory/, () =>
      pdfOfContent(deflateSync(spaces(400)).toString('latin1'), '/Filter /FlateDecode'),
    ),
    document('a DOCX that unpacks to 190 MB', 'bomb.docx', /unpacks to more/, () => {
      const xml = spaces(190);
      const packed = deflateSync(xml).subarray(2, -4);
      return zipOfOne('word/document.xml', { packed, unpacked: xml.length, crc: 0 });
    }),
    document('24 MB of XML in a DOCX', 'large.docx', /memory/, () =>
      docxOf(wordParagraph('x').repeat(450_000)),
    ),
  ];
}
