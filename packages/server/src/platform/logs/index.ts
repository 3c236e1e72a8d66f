import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { readableLine } from './readable-line.ts';

const STDOUT = 1;
const BUFFER_BYTES = 4096;
const FLUSH_AFTER_MS = 500;

export interface Log extends Logger {
  /** Writes the buffered lines. Call it before the process exits. */
  flushNow(): void;
}

export interface LogOptions {
  readonly level: string;
  /** `auto`: `text` if standard output is a terminal, otherwise `json`. */
  readonly format: 'auto' | 'json' | 'text';
  /** The value of the environment variable `NO_COLOR`. Any text turns colours off (https://no-color.org). */
  readonly noColor: string | undefined;
}

/** Creates a log on standard output, as JSON lines or as readable text. Callers decide which data may be logged. */
export function createLog({ level, format, noColor }: LogOptions): Log {
  const isTerminal = isatty(STDOUT);
  const isText = format === 'text' || (format === 'auto' && isTerminal);
  const destination = pino.destination(
    isText
      ? { dest: STDOUT, sync: true }
      : { dest: STDOUT, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_AFTER_MS },
  );
  const colour = isTerminal && !noColor;
  const stream: DestinationStream = isText
    ? { write: (line) => destination.write(readableLine(line, colour)) }
    : destination;
  const log = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, stream);
  return Object.assign(log, {
    flushNow: () => {
      try {
        destination.flushSync();
      } catch {
        // Ignored: standard output is closed.
      }
    },
  });
}
