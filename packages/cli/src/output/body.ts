import { createWriteStream, lstatSync, renameSync, rmSync } from 'node:fs';
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
  if (path === undefined || path === '-')
    return pipeline(chunks, shell.stdout, { signal, end: false });
  const existing = lstatSync(path, { throwIfNoEntry: false });
  // A stream of events ends only with an interruption. A link may lead to a device, as /dev/stdout does.
  const isDirect =
    response.headers.get('content-type')?.startsWith('text/event-stream') === true ||
    existing?.isFile() === false;
  if (isDirect) await pipeline(chunks, createWriteStream(path, { mode: MODE }), { signal });
  else await replaceFile(path, chunks, existing?.mode ?? MODE, signal);
  out.note(`Wrote ${path}.`);
}
const MODE = 0o600;

/** Writes a file completely, or leaves it unchanged. */
async function replaceFile(
  path: string,
  chunks: Readable,
  mode: number,
  signal: AbortSignal,
): Promise<void> {
  const draft = `${path}.${process.pid}.part`;
  try {
    await pipeline(chunks, createWriteStream(draft, { mode: mode & 0o777, flags: 'wx' }), {
      signal,
    });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
