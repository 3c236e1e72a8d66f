import { Parser as XmlParser } from 'htmlparser2';
import mammoth from 'mammoth';
import { ExtractionError, formatBytes } from '../extraction-error.ts';
import { MAX_UNPACKED_XML } from '../limits.ts';
import { readTitleProperty } from '../title.ts';
import { damaged, readZip } from '../zip.ts';
import { parseHtml } from './html.ts';
import { type DocumentProperties, languageOf, type Parser } from './parser.ts';

const COMPOUND_FILE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const CONTENT_TYPES = '[Content_Types].xml';
const CORE_PROPERTIES = 'docProps/core.xml';

/** Converts DOCX to HTML and parses the HTML. */
export const parse: Parser = async (bytes, add): Promise<DocumentProperties> => {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (zip.subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE))
    throw new ExtractionError(
      'encrypted',
      'The file is protected by a password or is an old .doc file. Save the document as .docx without a password.',
    );
  const parts = await readParts(zip);
  if (!parts.has(CONTENT_TYPES))
    throw new ExtractionError(
      'corrupt',
      'The file is a ZIP archive, but not a Word document (DOCX).',
    );
  const properties = propertiesOf(parts.get(CORE_PROPERTIES)?.toString('utf8') ?? '');
  for (const [name, xml] of parts) if (isText(name)) parts.set(name, withoutLayout(xml));
  const { value: html } = await mammoth.convertToHtml(inputOf(parts), {
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    styleMap: [`highlight[color='${HIDDEN}'] => !`],
  });
  const { title } = parseHtml(html, add);
  return { title: properties.title ?? title, language: properties.language };
};

/** Unpacks only the XML parts of a document. Throws an `ExtractionError`. */
async function readParts(zip: Buffer): Promise<Map<string, Buffer>> {
  const entries = (await readZip(zip)).filter(({ name }) => /\.(?:xml|rels)$/i.test(name));
  if (entries.reduce((sum, { size }) => sum + size, 0) > MAX_UNPACKED_XML)
    throw new ExtractionError(
      'too-large',
      `The document unpacks to more than ${formatBytes(MAX_UNPACKED_XML)} of XML; split the document.`,
    );
  const parts = new Map<string, Buffer>();
  for (const entry of entries) {
    // Programs disagree about which of two parts with the same name they read.
    if (parts.has(entry.name)) throw damaged();
    parts.set(entry.name, await entry.unpack());
  }
  return parts;
}

/**
 * Returns parts in mammoth's internal representation of an archive, which mammoth's types do not declare. If mammoth unpacked
 * the archive itself, the limits would not apply.
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
function propertiesOf(xml: string): DocumentProperties {
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
  return {
    title: readTitleProperty(found.get('dc:title') ?? ''),
    language: languageOf(found.get('dc:language')),
  };
}

/** Reports whether a part contains text. The styles part defines headings but contains no text. */
function isText(part: string): boolean {
  return part.startsWith('word/') && part !== 'word/styles.xml';
}

/** Empty elements that describe only layout or editor state. */
const LAYOUT_ELEMENTS = [
  'rFonts sz szCs lang color kern spacing w position shd bCs iCs snapToGrid noProof proofErr',
  'ind jc widowControl autoSpaceDE autoSpaceDN adjustRightInd contextualSpacing textAlignment',
  'keepNext keepLines lastRenderedPageBreak bookmarkStart bookmarkEnd tcW cnfStyle vAlign',
];
const LAYOUT = new RegExp(
  `<w:(?:${LAYOUT_ELEMENTS.join(' ').replaceAll(' ', '|')})(?: [^<>]*)?/>`,
  'g',
);
/** Identifiers of editing sessions and paragraphs. */
const EDITOR_IDS = / (?:w:rsid\w*|w14:(?:paraId|textId))="[^"<>]*"/g;

/** Encloses the text of a field. Mammoth drops the element with its text. */
const FIELD = /<\/?w:fldSimple(?: [^<>]*)?>/g;
/** Marks a hidden run. */
const VANISH = /<w:vanish(?: w:val="(?:1|true|on)")?\/>/g;
/** A colour that Word does not have. Mammoth drops runs by their highlight, but does not read `w:vanish`. */
const HIDDEN = 'hidden';

/**
 * Removes layout from a part of a document, marks hidden text, and unwraps fields. Most elements that Word writes are layout, and mammoth's tree takes 40 bytes per
 * byte of XML, so removing layout permits much longer documents. In XML a `<` is always markup, so text is not affected.
 */
function withoutLayout(xml: Buffer): Buffer {
  // latin1 maps each byte to one character, so the encoding does not matter.
  const text = xml.toString('latin1');
  const short = text.replace(LAYOUT, '').replace(EDITOR_IDS, '').replace(FIELD, '');
  return Buffer.from(short.replace(VANISH, `<w:highlight w:val="${HIDDEN}"/>`), 'latin1');
}
