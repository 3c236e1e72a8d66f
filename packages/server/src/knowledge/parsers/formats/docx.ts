import { Parser as XmlParser } from 'htmlparser2';
import mammoth from 'mammoth';
import { ExtractionError, formatBytes } from '../extraction-error.ts';
import { MAX_UNPACKED_XML } from '../limits.ts';
import { damaged, readZip } from '../zip.ts';
import { parseHtml } from './html.ts';
import { type DocumentProperties, languageOf, type Parser, titleOf } from './parser.ts';

const COMPOUND_FILE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const CONTENT_TYPES = '[Content_Types].xml';
const CORE_PROPERTIES = 'docProps/core.xml';

/** Parses DOCX by way of HTML. */
export const parse: Parser = async (bytes, add): Promise<DocumentProperties> => {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (zip.subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE))
    throw new ExtractionError(
      'encrypted',
      'The file is protected by a password, or is an old .doc file. Save it as .docx without one.',
    );
  const parts = await readParts(zip);
  if (!parts.has(CONTENT_TYPES))
    throw new ExtractionError(
      'corrupt',
      'The file is a ZIP archive, but not a Word document (DOCX).',
    );
  const facts = factsOf(parts.get(CORE_PROPERTIES)?.toString('utf8') ?? '');
  for (const [name, xml] of parts) if (isText(name)) parts.set(name, withoutLayout(xml));
  const { value: html } = await mammoth.convertToHtml(inputOf(parts), {
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
  });
  const { title } = parseHtml(html, add);
  return { title: facts.title ?? title, language: facts.language };
};

/** Unpacks the XML parts of a document; pictures and fonts have no text. Throws an `ExtractionError`. */
async function readParts(zip: Buffer): Promise<Map<string, Buffer>> {
  const entries = (await readZip(zip)).filter(({ name }) => /\.(?:xml|rels)$/i.test(name));
  if (entries.reduce((sum, { size }) => sum + size, 0) > MAX_UNPACKED_XML)
    throw new ExtractionError(
      'too-large',
      `The document unpacks to more than ${formatBytes(MAX_UNPACKED_XML)} of XML; split it.`,
    );
  const parts = new Map<string, Buffer>();
  for (const entry of entries) {
    // Two parts of one name mean different documents to different programs.
    if (parts.has(entry.name)) throw damaged();
    parts.set(entry.name, await entry.unpack());
  }
  return parts;
}

/**
 * The input that mammoth makes of an archive itself. Its type does not name it, but an archive would be
 * unpacked there without our limits.
 */
function inputOf(parts: ReadonlyMap<string, Buffer>): Parameters<typeof mammoth.convertToHtml>[0] {
  const file = {
    exists: (name: string) => parts.has(name),
    async read(name: string, encoding: string) {
      const part = parts.get(name);
      if (part === undefined) throw damaged();
      return new TextDecoder(encoding).decode(part);
    },
  };
  return { file } as unknown as Parameters<typeof mammoth.convertToHtml>[0];
}

/** Returns title and language of the core properties (ECMA-376 part 2, section 11), Dublin Core in XML. */
function factsOf(xml: string): DocumentProperties {
  const found = new Map<string, string>();
  let element = '';
  const parser = new XmlParser(
    {
      onopentag: (name) => {
        element = name;
      },
      ontext: (text) => {
        found.set(element, (found.get(element) ?? '') + text);
      },
      onclosetag: () => {
        element = '';
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return { title: titleOf(found.get('dc:title')), language: languageOf(found.get('dc:language')) };
}

/** Excludes styles: there, how text looks may say that it is a heading. */
function isText(part: string): boolean {
  return part.startsWith('word/') && part !== 'word/styles.xml';
}

/** Elements without content that say how text looks or where a program was, never what it is. */
const LAYOUT_ELEMENTS = [
  'rFonts sz szCs lang color kern spacing w position shd bCs iCs snapToGrid noProof proofErr',
  'ind jc widowControl autoSpaceDE autoSpaceDN adjustRightInd contextualSpacing textAlignment',
  'keepNext keepLines lastRenderedPageBreak bookmarkStart bookmarkEnd tcW cnfStyle vAlign',
];
const LAYOUT = new RegExp(
  `<w:(?:${LAYOUT_ELEMENTS.join(' ').replaceAll(' ', '|')})(?: [^<>]*)?/>`,
  'g',
);
/** Identifiers of the editing sessions in which parts of the text were written. */
const TRACES = / (?:w:rsid\w*|w14:(?:paraId|textId))="[^"<>]*"/g;

/**
 * Removes layout from a part of a document: most of its elements, in what Word writes. The tree that is made
 * of the part takes 40 bytes for each of its bytes, so this decides how long a document may be. In XML a `<`
 * is always markup, hence no text is touched.
 */
function withoutLayout(xml: Buffer): Buffer {
  // One character per byte, whatever the encoding.
  const text = xml.toString('latin1');
  return Buffer.from(text.replace(LAYOUT, '').replace(TRACES, ''), 'latin1');
}
