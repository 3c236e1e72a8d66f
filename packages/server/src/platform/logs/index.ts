import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

/** Bytes of log lines that are buffered, for at most half a second. */
const BUFFER_BYTES = 4096;
const FLUSH_AFTER_MS = 500;

export interface Log extends Logger {
  /** Writes the buffered lines. Call it before the process exits. */
  flushNow(): void;
}

/** Creates a log of JSON lines on standard output. Callers decide which data may be logged. */
export function createLog(level: string): Log {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_AFTER_MS,
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
        // Standard output is closed.
      }
    },
  });
}
