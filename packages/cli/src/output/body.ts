import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConnectionError } from '@gatehouse/client';
import type { Context } from '../shell/context.ts';

/** Yields the body of a response as it arrives. */
export async function* chunksOf(
  { body }: Response,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of body ?? []) yield chunk;
  } catch (cause) {
    signal.throwIfAborted();
    throw new ConnectionError('The connection broke in the middle of the response.', { cause });
  }
}

/** Writes the body of a response unchanged to standard output, or to a file that only its owner may read. */
export async function writeBody(
  { out, shell, signal }: Context,
  response: Response,
  path: string | undefined,
): Promise<void> {
  const chunks = Readable.from(chunksOf(response, signal), { objectMode: false });
  if (path === undefined) return pipeline(chunks, shell.stdout, { signal, end: false });
  await pipeline(chunks, createWriteStream(path, { mode: 0o600 }), { signal });
  out.note(`Wrote ${path}.`);
}
