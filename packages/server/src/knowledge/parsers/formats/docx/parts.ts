import { MAX_UNPACKED_XML } from '../../limits.ts';
import { Refusal, shownBytes } from '../../refusal.ts';
import { damaged, readDirectory } from '../../zip/directory.ts';
import { unpack } from '../../zip/unpack.ts';

/** The XML parts of a document, unpacked; pictures and fonts have no text. Throws a `Refusal`. */
export function readParts(zip: Buffer): Map<string, Buffer> {
  const entries = readDirectory(zip).filter(({ name }) => /\.(?:xml|rels)$/i.test(name));
  let unpacked = 0;
  for (const entry of entries) unpacked += entry.unpacked;
  if (unpacked > MAX_UNPACKED_XML)
    throw new Refusal(
      'too-large',
      `The document unpacks to more than ${shownBytes(MAX_UNPACKED_XML)} of XML; split it.`,
    );
  const parts = new Map<string, Buffer>();
  for (const entry of entries) {
    // Two parts of one name mean different documents to different readers.
    if (parts.has(entry.name)) throw damaged();
    parts.set(entry.name, unpack(zip, entry));
  }
  return parts;
}
