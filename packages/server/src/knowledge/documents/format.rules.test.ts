import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FORMATS } from '../parsers/extractor.ts';
import { formatOf } from './format.rules.ts';

const TEXT = Buffer.from('Grüße');
const PDF = Buffer.from('%PDF-1.7\n%âãÏÓ\n', 'latin1');
const ZIP = Buffer.from('PK\u0003\u0004\u0014\u0000\u0000\u0000', 'latin1');
const OLD_OFFICE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

function reasonOf(fileName: string, bytes: Uint8Array, contentType?: string): string {
  const answer = formatOf({ fileName, contentType, bytes });
  assert.ok(!answer.ok && !answer.unknown, JSON.stringify(answer));
  return answer.reason;
}

describe('formatOf', () => {
  test('knows a format by its extension, in any case', () => {
    const right: Record<string, Buffer> = { 'application/pdf': PDF, [DOCX]: ZIP };
    for (const { mimeType, extensions } of FORMATS) {
      const bytes = right[mimeType] ?? TEXT;
      for (const extension of extensions) {
        for (const fileName of [`a${extension}`, `a.b${extension.toUpperCase()}`]) {
          assert.deepEqual(formatOf({ fileName, bytes }), { ok: true, mimeType }, fileName);
        }
      }
    }
  });

  test('takes the content type where the name says nothing, and only there', () => {
    const contentType = 'text/markdown; charset=utf-8';
    const answer = { ok: true, mimeType: 'text/markdown' };
    assert.deepEqual(formatOf({ fileName: 'README', contentType, bytes: TEXT }), answer);
    assert.deepEqual(formatOf({ fileName: 'Release 2.0', contentType, bytes: TEXT }), answer);
    const csv = { fileName: 'a.csv', contentType: 'application/vnd.ms-excel', bytes: TEXT };
    assert.deepEqual(formatOf(csv), { ok: true, mimeType: 'text/csv' });
  });

  test('names the known formats to who sends another one', () => {
    for (const fileName of ['a.xlsx', 'a', '.pdf', 'a.']) {
      const answer = formatOf({ fileName, contentType: 'application/octet-stream', bytes: ZIP });
      assert.ok(!answer.ok && answer.unknown, fileName);
      for (const { name } of FORMATS) assert.ok(answer.reason.includes(name), name);
    }
  });

  test('refuses bytes that are not what the name says, and says what they are', () => {
    assert.match(reasonOf('a.pdf', TEXT), /ends in \.pdf, but its bytes are text, not PDF/);
    assert.match(reasonOf('a.pdf', ZIP), /are a ZIP archive, not PDF/);
    assert.match(reasonOf('a.docx', PDF), /are a PDF, not Word \(DOCX\)/);
    assert.match(reasonOf('a.txt', PDF), /are a PDF, not text/);
    assert.match(reasonOf('a.json', OLD_OFFICE), /are an old Office file, not text/);
    assert.match(reasonOf('a.md', Buffer.from('a\0b')), /are binary data, not text/);
    assert.match(reasonOf('a', TEXT, 'application/pdf'), /is sent as application\/pdf/);
  });

  test('leaves a Word file with a password to its reader, which can say so', () => {
    assert.ok(formatOf({ fileName: 'a.docx', bytes: OLD_OFFICE }).ok);
  });

  test('takes UTF-8 and UTF-16 with a byte order mark, and names any other charset a problem', () => {
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße', 'utf16le')]);
    assert.ok(formatOf({ fileName: 'a.txt', bytes: marked }).ok);
    assert.ok(formatOf({ fileName: 'a.txt', bytes: Buffer.from('\ufeffGrüße') }).ok);
    assert.match(reasonOf('a.txt', Buffer.from('Grüße', 'latin1')), /save it as UTF-8/);
  });

  test('lets a text speak of PDF, and a PDF begin late', () => {
    const note = Buffer.from('A PDF begins with %PDF-1.7.');
    assert.ok(formatOf({ fileName: 'a.txt', bytes: note }).ok);
    const late = Buffer.from('\n%PDF-1.7\n');
    assert.ok(formatOf({ fileName: 'a.pdf', bytes: late }).ok);
  });

  test('refuses an empty file', () => {
    assert.equal(reasonOf('a.txt', new Uint8Array()), 'the file is empty');
  });

  test('answers whatever it is given', () => {
    const given = fc.record({
      fileName: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('a.pdf', 'a.docx', 'a.txt'),
      ),
      contentType: fc.oneof(fc.string(), fc.constant(undefined)),
      bytes: fc.uint8Array(),
    });
    fc.assert(fc.property(given, (file) => typeof formatOf(file).ok === 'boolean'));
  });
});
