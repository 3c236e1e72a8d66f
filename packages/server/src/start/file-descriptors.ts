import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { Log } from '../platform/logs/index.ts';

const CHECK_EVERY_MS = 5000;

/**
 * Logs an error while no file descriptor is free. Node closes new connections in this case without an event that could be logged.
 */
export function reportMissingFileDescriptors(log: Log): Disposable {
  const check = async (): Promise<void> => {
    try {
      await (await open(devNull)).close();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EMFILE' && code !== 'ENFILE') return;
      log.error(
        { err: error },
        'no file descriptor is free, so new connections are closed; raise the limit of open files (ulimit -n), and find out who opens connections',
      );
    }
  };
  const timer = setInterval(check, CHECK_EVERY_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
