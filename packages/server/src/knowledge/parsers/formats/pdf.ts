import { getDocument, type PDFDocumentProxy } from 'unpdf/pdfjs';
import { type Facts, languageOf, titleOf } from '../facts.ts';
import { MAX_PDF_PAGES } from '../limits.ts';
import type { Sink } from '../passages/block.ts';
import { Refusal, shown } from '../refusal.ts';
import type { Parser } from './parser.ts';
import { blocksOf } from './pdf/blocks.ts';
import { linesOf } from './pdf/lines.ts';

/** The text of each page, in the order in which the file draws it. Nothing is fetched and no code is run. */
export const read: Parser = async (bytes, add) => {
  const task = getDocument({
    data: bytes,
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    enableXfa: false,
  });
  try {
    return await readPages(await task.promise, add);
  } catch (error) {
    throw translate(error);
  } finally {
    await task.destroy();
  }
};

async function readPages(pdf: PDFDocumentProxy, add: Sink): Promise<Facts> {
  if (pdf.numPages > MAX_PDF_PAGES)
    throw new Refusal(
      'too-large',
      `The PDF has ${shown(pdf.numPages)} pages, more than ${shown(MAX_PDF_PAGES)}; split it.`,
    );
  let language: string | null = null;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const content = await page.getTextContent();
    language ??= content.lang;
    const items = content.items.filter((item) => 'str' in item);
    add({ kind: 'page', number });
    for (const block of blocksOf(linesOf(items))) add(block);
    page.cleanup();
  }
  return { title: await readTitle(pdf), language: languageOf(language) };
}

async function readTitle(pdf: PDFDocumentProxy): Promise<string | null> {
  const { info } = await pdf.getMetadata();
  const title: unknown = 'Title' in info ? info.Title : null;
  return typeof title === 'string' ? titleOf(title) : null;
}

function translate(error: unknown): unknown {
  if (error instanceof Error && error.name === 'PasswordException')
    return new Refusal('encrypted', 'The PDF is protected by a password. Save it without one.');
  return error;
}
