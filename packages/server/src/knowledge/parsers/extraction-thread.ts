import { parentPort } from 'node:worker_threads';
import { extractDocument } from './extract-document.ts';
import { PASSAGES_AT_ONCE, type ReadReply, type ReadRequest } from './messages.ts';

// pdf.js leaves promises behind that reject when a document ends early.
process.on('unhandledRejection', () => {});

// The libraries complain about documents on the console, where nobody reads it and it would pile up.
for (const name of ['debug', 'error', 'info', 'log', 'warn'] as const) console[name] = () => {};

parentPort?.on('message', (request: ReadRequest) => {
  // What is not the document's fault ends the thread.
  read(request).catch((error) => setImmediate(() => raise(error)));
});

async function read({ bytes, mimeType, passages: port }: ReadRequest): Promise<void> {
  const extraction = await extractDocument(bytes, mimeType);
  if (!extraction.ok) return reply(extraction);
  const { passages } = extraction;
  for (let first = 0; first < passages.length; first += PASSAGES_AT_ONCE)
    port.postMessage(passages.slice(first, first + PASSAGES_AT_ONCE));
  return reply({ ...extraction, passages: [] });
}

function reply(extraction: ReadReply): void {
  parentPort?.postMessage(extraction);
}

function raise(error: unknown): never {
  throw error;
}
