import { isatty } from 'node:tty';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { SonicBoom } from 'sonic-boom';
import { readableLine } from './readable-line.ts';

const STDOUT = 1;
const BUFFER_BYTES = 4096;
const FLUSH_AFTER_MS = 500;
/** Maximum characters of waiting lines. If standard output is slower than the log, further lines are dropped. */
const MAX_WAITING = 8 * 1024 * 1024;

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

/**
 * Creates a log on standard output, as JSON lines or as readable text. Callers decide which data may be logged. If nobody reads standard
 * output any more, or a line cannot be written, the service continues without a log.
 */
export function createLog({ level, format, noColor }: LogOptions): Log {
  const isTerminal = isatty(STDOUT);
  const isText = format === 'text' || (format === 'auto' && isTerminal);
  const destination = new SonicBoom(
    isText
      ? { fd: STDOUT, sync: true }
      : {
          fd: STDOUT,
          sync: false,
          minLength: BUFFER_BYTES,
          periodicFlush: FLUSH_AFTER_MS,
          maxLength: MAX_WAITING,
        },
  );
  let isClosed = false;
  const closeIfBroken = ({ code }: NodeJS.ErrnoException): void => {
    isClosed ||= code === 'EPIPE';
  };
  destination.on('error', closeIfBroken);
  let dropped = 0;
  destination.on('drop', () => {
    dropped += 1;
  });
  destination.on('drain', () => {
    if (dropped === 0) return;
    log.warn(
      { lines: dropped },
      'lines of the log were lost, because standard output was too slow',
    );
    dropped = 0;
  });
  const colour = isTerminal && !noColor;
  const write = (line: string): void => {
    if (!isClosed) destination.write(isText ? readableLine(line, colour) : line);
  };
  const log = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, { write });
  return Object.assign(log, {
    flushNow: () => {
      if (isClosed) return;
      try {
        destination.flushSync();
      } catch (error) {
        closeIfBroken(error as NodeJS.ErrnoException);
      }
    },
  });
}
