import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';

/**
 * Opens a file or standard input.
 *
 * @param path path of a file. `undefined` or `-`: standard input.
 * @param signal stops waiting for more input.
 */
export function openInput(
  path: string | undefined,
  stdin: Readable,
  signal: AbortSignal,
): Readable {
  const input = path === undefined || path === '-' ? stdin : createReadStream(path);
  return addAbortSignal(signal, input);
}
