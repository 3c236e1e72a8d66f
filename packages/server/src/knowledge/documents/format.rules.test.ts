import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import fc from 'fast-check';
import { FORMATS } from '../parsers/extractor.ts';
import { traitsOf } from '../uploads/file-traits.ts';
import { formatOf as formatOfFile } from './format.rules.ts';

const TEXT = Buffer.from('Grüße');
const PDF = Buffer.from('%PDF-1.7\n%âãÏÓ\n', 'latin1');
const ZIP = Buffer.from('PK\u0003\u0004\u0014\u0000\u0000\u0000', 'latin1');
const OLD_OFFICE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

interface TestFile {
  readonly fileName: string;
  readonly contentType?: string | undefined;
  readonly bytes: Uint8Array;
}

function formatOf({ bytes, ...file }: TestFile) {
  return formatOfFile({ ...file, traits: traitsOf(bytes) });
}

function reasonOf(fileName: string, bytes: Uint8Array, contentType?: string): string {
  const answer = formatOf({ fileName, contentType, bytes });
  assert.ok(!answer.ok && !answer.unknown, JSON.stringify(answer));
  return answer.reason;
}

describe('formatOf', () => {
  test('detects a format by its extension in any letter case', () => {
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

  test('uses the content type only if the extension is unknown', () => {
    const contentType = 'text/markdown; charset=utf-8';
    const answer = { ok: true, mimeType: 'text/markdown' };
    assert.deepEqual(formatOf({ fileName: 'README', contentType, bytes: TEXT }), answer);
    assert.deepEqual(formatOf({ fileName: 'Release 2.0', contentType, bytes: TEXT }), answer);
    const csv = { fileName: 'a.csv', contentType: 'application/vnd.ms-excel', bytes: TEXT };
    assert.deepEqual(formatOf(csv), { ok: true, mimeType: 'text/csv' });
  });

  test('lists the supported formats if the format is unknown', () => {
    for (const fileName of ['a.xlsx', 'a', '.pdf', 'a.']) {
      const answer = formatOf({ fileName, contentType: 'application/octet-stream', bytes: ZIP });
      assert.ok(!answer.ok && answer.unknown, fileName);
      for (const { name } of FORMATS) assert.ok(answer.reason.includes(name), name);
    }
  });

  test('rejects bytes that do not match the format and names their actual kind', () => {
    assert.match(
      reasonOf('a.pdf', TEXT),
      /the file has the extension \.pdf, but its bytes are text, not PDF/,
    );
    assert.match(reasonOf('a.pdf', ZIP), /are a ZIP archive, not PDF/);
    assert.match(reasonOf('a.docx', PDF), /are a PDF, not Word \(DOCX\)/);
    assert.match(reasonOf('a.txt', PDF), /are a PDF, not text/);
    assert.match(reasonOf('a.json', OLD_OFFICE), /are an old Office file, not text/);
    assert.match(reasonOf('a.md', Buffer.from('a\0b')), /are binary data, not text/);
    assert.match(reasonOf('a', TEXT, 'application/pdf'), /is sent as application\/pdf/);
  });

  test('accepts a password-protected Word file, for which the parser later reports the password', () => {
    assert.ok(formatOf({ fileName: 'a.docx', bytes: OLD_OFFICE }).ok);
  });

  test('accepts UTF-8 and UTF-16 with a byte order mark, and rejects other encodings', () => {
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße', 'utf16le')]);
    assert.ok(formatOf({ fileName: 'a.txt', bytes: marked }).ok);
    assert.ok(formatOf({ fileName: 'a.txt', bytes: Buffer.from('\ufeffGrüße') }).ok);
    assert.match(reasonOf('a.txt', Buffer.from('Grüße', 'latin1')), /save it as UTF-8/);
  });

  test('accepts text that mentions the PDF signature, and a PDF whose signature is not at the start', () => {
    const note = Buffer.from('A PDF begins with %PDF-1.7.');
    assert.ok(formatOf({ fileName: 'a.txt', bytes: note }).ok);
    const late = Buffer.from('\n%PDF-1.7\n');
    assert.ok(formatOf({ fileName: 'a.pdf', bytes: late }).ok);
  });

  test('rejects an empty file', () => {
    assert.equal(reasonOf('a.txt', new Uint8Array()), 'the file is empty');
  });

  test('never throws, whatever the input is', () => {
    const given = fc.record({
      fileName: fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom('a.pdf', 'a.docx', 'a.txt'),
      ),
      contentType: fc.oneof(fc.string(), fc.constant(undefined)),
      bytes: fc.uint8Array(),
    });
    fc.assert(fc.property(given, (file) => typeof formatOf(file).ok === 'boolean'));
  });
});
