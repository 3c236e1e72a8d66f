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
