import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import {
  failureOf,
  PDF,
  passagesOf,
  pdfOf,
  pdfOfObjects,
  read,
  stream,
} from '../documents.suite.ts';

describe('the PDF parser', () => {
  test('returns the text of each page under the page number', async () => {
    const pdf = pdfOf([['First page.'], [], ['Third page.']]);
    assert.deepEqual(await passagesOf(pdf, PDF), ['Page 1: First page.', 'Page 3: Third page.']);
  });

  test('joins lines and hyphenated words and omits page numbers', async () => {
    const lines = [
      'A para-',
      'graph of two',
      'and more lines.',
      '',
      'Another one.',
      '* a',
      '* b',
      '7',
    ];
    assert.deepEqual(await passagesOf(pdfOf([lines]), PDF), [
      'Page 1: A paragraph of two and more lines.\n\nAnother one.\n\n* a\n* b',
    ]);
  });

  test('returns the rows of a table, with the lines that continue a cell', async () => {
    const rows = [
      [50, 700, 'Our prices in spring'],
      [50, 670, 'Service'],
      [300, 670, 'Price'],
      [50, 650, 'Visit'],
      [300, 650, '49.00'],
      [50, 630, 'Safety inspection'],
      [293, 630, '189.50'],
      [50, 618, 'of old machines'],
      [50, 590, 'Prices include taxes.'],
      [50, 560, '1.'],
      [80, 560, 'Call us'],
      [50, 545, '2.'],
      [80, 545, 'Wait'],
    ] as const;
    assert.deepEqual(await passagesOf(pdfOfRuns([rows]), PDF), [
      'Page 1: Our prices in spring\n\nService | Price\nVisit | 49.00\nSafety inspection of old machines | 189.50\n\nPrices include taxes.\n\n1. Call us\n\n2. Wait',
    ]);
  });

  test('does not take the wide spaces of justified text for the columns of a table', async () => {
    const lines = [
      [50, 700, 'The'],
      [92, 700, 'rate'],
      [142, 700, 'of'],
      [178, 700, 'travel'],
      [50, 686, 'allowances'],
      [171, 686, 'depends'],
      [50, 672, 'on'],
      [94, 672, 'the'],
      [145, 672, 'country'],
    ] as const;
    assert.deepEqual(await passagesOf(pdfOfRuns([lines]), PDF), [
      'Page 1: The rate of travel allowances depends on the country',
    ]);
  });

  test('joins a word that continues in the next column, and keeps the hyphen of a part of a word', async () => {
    const lines = [
      [50, 700, 'The pre- and post-war build-'],
      [50, 686, 'ings of pre-'],
      [50, 672, 'and post-war archi-'],
      [300, 700, 'tects are shown.'],
    ] as const;
    assert.deepEqual(await passagesOf(pdfOfRuns([lines]), PDF), [
      'Page 1: The pre- and post-war buildings of pre- and post-war architects are shown.',
    ]);
  });

  test('does not join the lines of a list without bullets, but a wrapped sentence', async () => {
    const items = [
      'Pool: 7 am to 9 pm',
      'Sauna: 3 pm to 10 pm',
      'Gym: open around the clock with your room card',
    ];
    assert.deepEqual(await passagesOf(pdfOf([items]), PDF), [`Page 1: ${items.join('\n')}`]);
    const wrapped = ['We ask guests to call', 'Reception at any time.'];
    assert.deepEqual(await passagesOf(pdfOf([wrapped]), PDF), [`Page 1: ${wrapped.join(' ')}`]);
  });

  test('omits a header and a footer that repeat those of the previous page, but no other repeated line', async () => {
    const page = (number: number) =>
      [
        [50, 770, 'Manual, edition 4'],
        [50, 730, 'Pumps and their warranties:'],
        [50, 600, `Text of pump ${number}.`],
        [50, 300, 'Warranty: two years.'],
        [50, 40, 'Confidential'],
        [300, 20, `Page ${number} of 3`],
      ] as const;
    assert.deepEqual(await passagesOf(pdfOfRuns([page(1), page(2), page(3)]), PDF), [
      'Page 1: Manual, edition 4\nPumps and their warranties: Text of pump 1.\n\nWarranty: two years.\n\nConfidential',
      'Page 2: Pumps and their warranties: Text of pump 2.\n\nWarranty: two years.',
      'Page 3: Pumps and their warranties: Text of pump 3.\n\nWarranty: two years.',
    ]);
  });

  test('returns the declared title and language', async () => {
    const { title, language } = await read(pdfOf([['x']], '/Info << /Title (My title) >>'), PDF);
    assert.deepEqual({ title, language }, { title: 'My title', language: 'en-GB' });
  });

  test('reports a document without text as a possible scan', async () => {
    assert.match(await failureOf(pdfOf([[], []]), PDF), /^empty: .*scan/);
  });

  test('reports a password as encrypted', async () => {
    const key = 'x'.repeat(32);
    const entries = `/Filter /Standard /V 1 /R 2 /P -44 /O (${key}) /U (${key})`;
    const pdf = pdfOf([['Secret.']], `/Encrypt << ${entries} >> /ID [(a) (a)]`);
    assert.match(await failureOf(pdf, PDF), /^encrypted: /);
  });

  test('reports a truncated file or another format as corrupt', async () => {
    const pdf = pdfOf([['x']]);
    for (const bytes of ['%PDF-1.7', '%PDF-1.7\nnonsense', 'no', pdf.subarray(0, 300)])
      assert.match(await failureOf(Buffer.from(bytes), PDF), /^corrupt: /);
  });

  test('rejects circular pages and too many pages', async () => {
    const circle = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>',
    ];
    assert.match(await failureOf(pdfOfObjects(circle), PDF), /^corrupt: /);
    const claimed = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [] /Count 1000000 >>',
    ];
    assert.match(await failureOf(pdfOfObjects(claimed), PDF), /^(corrupt|too-large|empty): /);
    const kids = '3 0 R '.repeat(6_000);
    const many = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${kids}] /Count 6000 >>`,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
    ];
    assert.match(await failureOf(pdfOfObjects(many), PDF), /^too-large: .*6,000 pages/);
  });

  test('reads compressed text', async () => {
    const content = deflateSync('BT /F1 12 Tf 50 700 Td (Packed.) Tj ET').toString('latin1');
    const objects = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R
         /Resources << /Font << /F1 4 0 R >> >> >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      stream(content, '/Filter /FlateDecode'),
    ];
    assert.deepEqual(await passagesOf(pdfOfObjects(objects), PDF), ['Page 1: Packed.']);
  });
});

/** Returns a PDF whose pages contain runs of text at positions in points, in a font in which all characters are 7.2 points wide. */
function pdfOfRuns(pages: readonly (readonly (readonly [number, number, string])[])[]): Buffer {
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  const objects = pages.flatMap((runs, at) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${5 + at * 2} 0 R
       /Resources << /Font << /F1 3 0 R >> >> >>`,
    stream(runs.map(([x, y, text]) => `BT /F1 12 Tf ${x} ${y} Td (${text}) Tj ET`).join('\n'), ''),
  ]);
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
    ...objects,
  ]);
}
