import { constants, createReadStream, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { EXIT, Failure } from '../shell/failure.ts';

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
  return addAbortSignal(signal, path === undefined || path === '-' ? stdin : openFile(path));
}

function openFile(path: string): Readable {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) throw folderFailure(path);
  if (!stats?.isFIFO()) return createReadStream(path);
  // Without O_NONBLOCK, a thread waits until a program writes to the FIFO, and the process cannot end before.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/** Returns the failure for a folder in place of a file. The error of the system does not name the folder. */
export function folderFailure(path: string): Failure {
  return new Failure({
    exitCode: EXIT.noInput,
    code: 'cli.failed',
    message: `${path} is a folder. Name a file.`,
  });
}
