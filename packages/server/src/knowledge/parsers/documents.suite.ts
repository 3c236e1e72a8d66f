import assert from 'node:assert/strict';
import { extractDocument } from './extract-document.ts';
import type { KnownMimeType, ParsedDocument } from './extractor.ts';
import { pack } from './zip.suite.ts';

export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
export const PDF = 'application/pdf';

/** Returns a minimal PDF. Each page is a list of lines. `trailer` contains additional trailer entries. */
export function pdfOf(pages: readonly (readonly string[])[], trailer = ''): Buffer {
  const first = 4;
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((lines, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${first + 1 + index * 2} 0 R
         /Resources << /Font << /F1 3 0 R >> >> >>`,
      stream(contentOf(lines)),
    ]),
  ];
  return pdfOfObjects(objects, trailer);
}

/** Returns a PDF of objects numbered from 1. The first object is the catalog. */
export function pdfOfObjects(objects: readonly string[], trailer = ''): Buffer {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  const xref = `xref\n0 ${count}\n0000000000 65535 f \n${rows}`;
  const end = `trailer\n<< /Size ${count} /Root 1 0 R ${trailer} >>\nstartxref\n${text.length}\n%%EOF`;
  return Buffer.from(text + xref + end, 'latin1');
}

export function stream(content: string, entries = ''): string {
  return `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`;
}

/** Returns content that draws lines from the top of the page. An empty line leaves a gap. */
function contentOf(lines: readonly string[]): string {
  const shown = lines.map((line) => `(${line.replace(/[()\\]/g, '\\$&')}) Tj 0 -14 Td`);
  return `BT /F1 12 Tf 50 750 Td ${shown.join(' ')} ET`;
}

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT_TYPE =
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const OFFICE_DOCUMENT =
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';

/** Returns the parts of a minimal DOCX with heading styles `Heading1` to `Heading3`. */
export function docxParts(body: string): Map<string, Buffer> {
  const style = (level: number) =>
    `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`;
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types">
      <Default Extension="xml" ContentType="application/xml"/>
      <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
      <Override PartName="/word/document.xml" ContentType="${DOCUMENT_TYPE}"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships">
      <Relationship Id="rId1" Type="${OFFICE_DOCUMENT}" Target="word/document.xml"/></Relationships>`,
    'word/styles.xml': `<w:styles xmlns:w="${WORD}">${[1, 2, 3].map(style).join('')}</w:styles>`,
    'word/_rels/document.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">
      <Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"
        Target="styles.xml"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`,
    'docProps/core.xml': `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties"
      xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Annual report</dc:title>
      <dc:language>en-US</dc:language></cp:coreProperties>`,
  };
  return new Map(Object.entries(parts).map(([name, xml]) => [name, Buffer.from(xml)]));
}

export function docxOf(body: string): Buffer {
  return pack(docxParts(body));
}

export function wordParagraph(text: string, style = ''): string {
  const properties = style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** Returns a ZIP archive with one deflated file and any claimed size and checksum. */
export function zipOfOne(
  name: string,
  { packed, unpacked, crc }: { packed: Buffer; unpacked: number; crc: number },
): Buffer {
  const encoded = Buffer.from(name);
  const about = Buffer.alloc(26);
  about.writeUInt16LE(20, 0);
  about.writeUInt16LE(8, 4);
  about.writeUInt32LE(crc, 10);
  about.writeUInt32LE(packed.length, 14);
  about.writeUInt32LE(unpacked, 18);
  about.writeUInt16LE(encoded.length, 22);
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), about, encoded, packed]);
  const entry = Buffer.concat([
    Buffer.from('PK\u0001\u0002\u0014\u0000'),
    about,
    Buffer.alloc(14),
    encoded,
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, entry, end]);
}

/** Returns a copy that does not share memory with other buffers. */
export function bytesOf(text: string | Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text));
}

/** Extracts a document in this process. Fails if the extraction fails. */
export async function read(
  given: string | Buffer,
  mimeType: KnownMimeType,
): Promise<Extract<ParsedDocument, { ok: true }>> {
  const extraction = await extractDocument(bytesOf(given), mimeType);
  assert.ok(extraction.ok, JSON.stringify(extraction));
  return extraction;
}

export async function passagesOf(
  given: string | Buffer,
  mimeType: KnownMimeType,
): Promise<string[]> {
  const { passages } = await read(given, mimeType);
  return passages.map(({ heading, text }) =>
    [heading.join(' > '), text].filter(Boolean).join(': '),
  );
}

/** Returns the failure of a document as `code: reason`. Fails if the extraction succeeds. */
export async function failureOf(given: string | Buffer, mimeType: KnownMimeType): Promise<string> {
  const extraction = await extractDocument(bytesOf(given), mimeType);
  assert.ok(!extraction.ok);
  return `${extraction.code}: ${extraction.reason}`;
}
