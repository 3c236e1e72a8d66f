import { readSync, writeSync } from 'node:fs';
import { extractDocument } from '../extract-document.ts';
import { FRAME, HEADER_BYTES, readHeader, toFrame } from './frames.ts';
import { type DocumentHeader, PASSAGES_PER_BATCH, type ParseResult } from './messages.ts';

/*
 * The program of a parser process. It reads documents from standard input and writes results to standard output until the
 * input ends. Reads and writes block: an idle process has nothing else to do, and a full pipe slows the process down to the
 * speed of the service.
 */
const INPUT = 0;
const OUTPUT = 1;

// pdf.js leaves promises that reject after a document was closed early.
process.on('unhandledRejection', () => {});
// A terminal sends its signals to all processes. Only the service decides when a parser process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// Silences libraries that log warnings about documents. Their output would be taken for results.
for (const name of ['debug', 'error', 'info', 'log', 'warn'] as const) console[name] = () => {};

write(toFrame(FRAME.ready, null));
for (let header = read(HEADER_BYTES); header !== null; header = read(HEADER_BYTES)) {
  const json = read(readHeader(Buffer.from(header.buffer)).length);
  if (json === null) break;
  const { mimeType, size } = JSON.parse(new TextDecoder().decode(json)) as DocumentHeader;
  const bytes = read(size);
  if (bytes === null) break;
  const parsed = await extractDocument(bytes, mimeType);
  const passages = parsed.ok ? parsed.passages : [];
  const result: ParseResult = parsed.ok ? { ...parsed, passages: passages.length } : parsed;
  write(toFrame(FRAME.result, result));
  for (let first = 0; first < passages.length; first += PASSAGES_PER_BATCH)
    write(toFrame(FRAME.passages, passages.slice(first, first + PASSAGES_PER_BATCH)));
}
process.exit(0);

/** Returns the next `size` bytes, or null if the input has ended. */
function read(size: number): Uint8Array<ArrayBuffer> | null {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; ) {
    const count = readSync(INPUT, bytes, at, size - at, null);
    if (count === 0) return null;
    at += count;
  }
  return bytes;
}

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(OUTPUT, bytes, at);
}
