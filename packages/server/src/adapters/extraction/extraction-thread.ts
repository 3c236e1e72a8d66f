import { parentPort } from 'node:worker_threads';
import { extractDocument } from './extract-document.ts';
import { PASSAGES_AT_ONCE, type ReadReply, type ReadRequest } from './messages.ts';

// pdf.js leaves promises behind that reject when a document ends early.
process.on('unhandledRejection', () => {});

parentPort?.on('message', async ({ bytes, mimeType, passages: port }: ReadRequest) => {
  const extraction = await extractDocument(bytes, mimeType);
  if (!extraction.ok) return reply(extraction);
  const { passages } = extraction;
  for (let first = 0; first < passages.length; first += PASSAGES_AT_ONCE)
    port.postMessage(passages.slice(first, first + PASSAGES_AT_ONCE));
  return reply({ ...extraction, passages: [] });
});

function reply(extraction: ReadReply): void {
  parentPort?.postMessage(extraction);
}
