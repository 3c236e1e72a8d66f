import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

/** Bytes of log lines that are written together; a slower trickle is written every half second. */
const WRITTEN_TOGETHER = 4096;
const WRITTEN_AFTER_MS = 500;

export interface Log extends Logger {
  /** Writes what is still in memory; call it before the process ends. */
  flushNow(): void;
}

/** JSON lines on standard output. What may be in them is decided where they are written. */
export function createLog(level: string): Log {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: WRITTEN_TOGETHER,
    periodicFlush: WRITTEN_AFTER_MS,
  });
  const log = pino(
    { level, base: null, timestamp: stdTimeFunctions.isoTime },
    destination as DestinationStream,
  );
  return Object.assign(log, {
    flushNow: () => {
      try {
        destination.flushSync();
      } catch {
        // Standard output is gone; there is nobody left to tell.
      }
    },
  });
}
