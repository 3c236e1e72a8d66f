import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import {
  DOCX,
  docxOf,
  docxParts,
  failureOf,
  passagesOf,
  read,
  wordParagraph,
  zipOfOne,
} from '../documents.suite.ts';
import { pack } from '../zip.suite.ts';

const MIB = 1024 * 1024;

describe('the DOCX parser', () => {
  test('reads the text of fields', async () => {
    const field = '<w:fldSimple w:instr=" SEQ Table "><w:r><w:t>7</w:t></w:r></w:fldSimple>';
    const docx = docxOf(`<w:p><w:r><w:t xml:space="preserve">Table </w:t></w:r>${field}</w:p>`);
    assert.deepEqual(await passagesOf(docx, DOCX), ['Table 7']);
  });

  test('omits hidden text', async () => {
    const run = (text: string, properties: string) =>
      `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
    const runs = [
      run('Shown. ', '<w:vanish w:val="0"/><w:highlight w:val="yellow"/>'),
      run('Hidden. ', '<w:b/><w:vanish/><w:highlight w:val="yellow"/>'),
      run('Marked.', '<w:highlight w:val="green"/>'),
    ];
    const docx = docxOf(`<w:p>${runs.join('')}</w:p>`);
    assert.deepEqual(await passagesOf(docx, DOCX), ['Shown. Marked.']);
  });

  test('returns headings, paragraphs and tables', async () => {
    const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`;
    const head = (text: string) =>
      `<w:tc><w:p><w:r><w:rPr><w:b/></w:rPr><w:t>${text}</w:t></w:r></w:p></w:tc>`;
    const table = `<w:tbl><w:tr>${head('Name')}${head('City')}</w:tr>
      <w:tr>${cell('Ada')}${cell('London')}</w:tr></w:tbl>`;
    const body =
      wordParagraph('Intro', 'Heading1') +
      wordParagraph('Tom &amp; Ada') +
      wordParagraph('People', 'Heading2') +
      table;
    assert.deepEqual(await passagesOf(docxOf(body), DOCX), [
      'Intro: Tom & Ada',
      'Intro > People: Name: Ada | City: London',
    ]);
  });

  test('combines the levels of a header', async () => {
    const cell = (text: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${wordParagraph(text)}</w:tc>`;
    const head = (cells: string) => `<w:tr><w:trPr><w:tblHeader/></w:trPr>${cells}</w:tr>`;
    const size = cell('Size', '<w:vMerge w:val="restart"/>');
    const rows = [
      head(size + cell('Price', '<w:gridSpan w:val="2"/>')),
      head(cell('', '<w:vMerge/>') + cell('EU') + cell('US')),
      `<w:tr>${cell('S')}${cell('1')}${cell('2')}</w:tr>`,
    ];
    assert.deepEqual(await passagesOf(docxOf(`<w:tbl>${rows.join('')}</w:tbl>`), DOCX), [
      'Size: S | Price › EU: 1 | Price › US: 2',
    ]);
  });

  test('ignores formatting', async () => {
    const formatting = `<w:rPr><w:rFonts w:ascii="A" w:hAnsi="A"/><w:b/><w:sz w:val="22"/><w:lang w:val="de-DE"/></w:rPr>`;
    const run = (text: string) => `<w:r w:rsidR="00AB">${formatting}<w:t>${text}</w:t></w:r>`;
    const body = `<w:p w:rsidR="00AB"><w:pPr><w:pStyle w:val="Heading1"/><w:jc w:val="both"/></w:pPr>
      <w:bookmarkStart w:id="0" w:name="x"/>${run('A')}</w:p>
      <w:p>${run('&lt;w:jc/&gt; ')}<w:r><w:tab/><w:t>and</w:t><w:br/></w:r>${run('more')}</w:p>`;
    assert.deepEqual(await passagesOf(docxOf(body), DOCX), ['A: <w:jc/> and\nmore']);
  });

  test('returns the declared title and language', async () => {
    const { title, language } = await read(docxOf(wordParagraph('x')), DOCX);
    assert.deepEqual({ title, language }, { title: 'Annual report', language: 'en-US' });
  });

  test('reports a password or the old format as encrypted', async () => {
    const old = Buffer.from('d0cf11e0a1b11ae100000000', 'hex');
    assert.match(await failureOf(old, DOCX), /^encrypted: .*password.*\.doc/);
  });

  test('reports a truncated or modified archive, or an archive of another kind, as corrupt', async () => {
    const docx = docxOf(wordParagraph('Some text.'));
    const changed = Buffer.from(docx);
    changed[changed.indexOf('Some text.')] = 0x73;
    const other = pack(new Map([['a.txt', Buffer.from('a')]]));
    const twice = docxParts(wordParagraph('x'));
    twice.set('word/documenu.xml', Buffer.from('<x/>'));
    const doubled = Buffer.from(
      pack(twice).toString('latin1').replaceAll('documenu', 'document'),
      'latin1',
    );
    for (const bytes of [
      docx.subarray(0, -30),
      changed,
      other,
      doubled,
      Buffer.from('PK\u0003\u0004'),
    ])
      assert.match(await failureOf(bytes, DOCX), /^corrupt: /);
  });

  test('reports a document without text as empty', async () => {
    assert.match(await failureOf(docxOf(''), DOCX), /^empty: /);
  });

  test('reports nesting deeper than the stack as too complex', async () => {
    const deep = '<w:sdt><w:sdtContent>'.repeat(30_000) + '</w:sdtContent></w:sdt>'.repeat(30_000);
    assert.match(await failureOf(docxOf(deep), DOCX), /^(too-complex|corrupt): /);
  });

  test('rejects a file that declares too many unpacked bytes without unpacking it', async () => {
    const packed = deflateRawSync('a');
    const size = (unpacked: number) => zipOfOne('a.xml', { packed, unpacked, crc: 0 });
    assert.match(await failureOf(size(201 * MIB), DOCX), /^too-large: .*200 MiB/);
    assert.match(await failureOf(size(20 * MIB), DOCX), /^too-large: .*150 times/);
    assert.match(await failureOf(size(0xffffffff), DOCX), /^too-large: /);
  });

  test('rejects a file that unpacks to more bytes than the file declares', async () => {
    const zeros = Buffer.alloc(16 * MIB);
    const packed = deflateRawSync(zeros);
    for (const unpacked of [0, 1000, 5 * MIB]) {
      const liar = zipOfOne('word/document.xml', { packed, unpacked, crc: crc32(zeros) });
      assert.match(await failureOf(liar, DOCX), /^too-large: .*more than it declares/);
    }
  });

  test('rejects more than 10,000 parts without unpacking them', async () => {
    const parts = new Map(
      Array.from({ length: 10_001 }, (_, part) => [`${part}`, Buffer.alloc(0)]),
    );
    assert.match(await failureOf(pack(parts), DOCX), /^too-large: .*10,000 parts/);
  });

  test('reports a file with an encrypted part as encrypted', async () => {
    const docx = docxOf(wordParagraph('Some text.'));
    const entry = docx.indexOf('PK\u0001\u0002');
    for (const flags of [0x0801, 0x0841]) {
      docx.writeUInt16LE(flags, entry + 8);
      assert.match(await failureOf(docx, DOCX), /^encrypted: .*password/);
    }
  });

  test('accepts bytes after the archive', async () => {
    const docx = Buffer.concat([docxOf(wordParagraph('Some text.')), Buffer.from('\r\n')]);
    assert.deepEqual(await passagesOf(docx, DOCX), ['Some text.']);
  });

  test('rejects a document with too much XML', async () => {
    const xml = Buffer.alloc(33 * MIB, 'noise that does not shrink so far');
    const parts = new Map([['word/document.xml', xml]]);
    assert.match(await failureOf(pack(parts), DOCX), /^too-large: .*32 MiB of XML/);
  });
});
