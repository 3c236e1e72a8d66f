import { parentPort } from 'node:worker_threads';
import { extractDocument } from './extract-document.ts';
import type { ExtractionReply, ExtractionRequest } from './thread.ts';

/** Passages per message. Receiving one message blocks the event loop for about a millisecond. */
const PASSAGES_PER_MESSAGE = 500;

// pdf.js leaves promises behind that reject when a document ends early.
process.on('unhandledRejection', () => {});

// Libraries warn about documents on the console. Nothing reads that output, so it would fill the pipe.
for (const name of ['debug', 'error', 'info', 'log', 'warn'] as const) console[name] = () => {};

parentPort?.on('message', (request: ExtractionRequest) => {
  // An error that is not the document's ends the thread.
  extract(request).catch((error) => setImmediate(() => raise(error)));
});

async function extract({ bytes, mimeType, passages: port }: ExtractionRequest): Promise<void> {
  const extraction = await extractDocument(bytes, mimeType);
  if (!extraction.ok) return reply(extraction);
  const { passages } = extraction;
  for (let first = 0; first < passages.length; first += PASSAGES_PER_MESSAGE)
    port.postMessage(passages.slice(first, first + PASSAGES_PER_MESSAGE));
  return reply({ ...extraction, passages: [] });
}

function reply(extraction: ExtractionReply): void {
  parentPort?.postMessage(extraction);
}

function raise(error: unknown): never {
  throw error;
}
