import mammoth from 'mammoth';
import type { Facts } from '../facts.ts';
import { Refusal } from '../refusal.ts';
import { pack } from '../zip/pack.ts';
import { factsOf } from './docx/core-properties.ts';
import { readParts } from './docx/parts.ts';
import { withoutLayout } from './docx/without-layout.ts';
import { readHtml } from './html/read-html.ts';
import type { Parser } from './parser.ts';

const COMPOUND_FILE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const CONTENT_TYPES = '[Content_Types].xml';
const CORE_PROPERTIES = 'docProps/core.xml';

/**
 * DOCX by way of HTML. The library gets a new zip with the parts that were unpacked here under limits,
 * rather than the one that was sent: it would believe what that one declares.
 */
export const read: Parser = async (bytes, add): Promise<Facts> => {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (zip.subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE))
    throw new Refusal(
      'encrypted',
      'The file is protected by a password, or is an old .doc file. Save it as .docx without one.',
    );
  const parts = readParts(zip);
  if (!parts.has(CONTENT_TYPES))
    throw new Refusal('corrupt', 'The file is a ZIP archive, but not a Word document (DOCX).');
  const facts = factsOf(parts.get(CORE_PROPERTIES)?.toString('utf8') ?? '');
  for (const [name, xml] of parts) if (isText(name)) parts.set(name, withoutLayout(xml));
  const { value: html } = await mammoth.convertToHtml(
    { buffer: pack(parts) },
    { convertImage: mammoth.images.imgElement(async () => ({ src: '' })) },
  );
  const { title } = readHtml(html, add);
  return { title: facts.title ?? title, language: facts.language };
};

/** Styles are left as they are: there, how text looks may say that it is a heading. */
function isText(part: string): boolean {
  return part.startsWith('word/') && part !== 'word/styles.xml';
}
