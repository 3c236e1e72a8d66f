import { isatty } from 'node:tty';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import sonicBoom from 'sonic-boom';
import { readableLine } from './readable-line.ts';

const STDOUT = 1;
const BUFFER_BYTES = 4096;
const FLUSH_AFTER_MS = 500;
/** Maximum bytes of lines that wait because they cannot be written yet. Further lines are lost. */
const MAX_WAITING = 8 * 1024 * 1024;
/** Maximum time in milliseconds for which `flushNow` waits for a reader that does not read. */
const FLUSH_WITHIN_MS = 1000;

export interface Log extends Logger {
  /** Writes the buffered lines. Waits at most a second for a reader of standard output that does not read. */
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
 * output any more, the service continues without a log. Lines that cannot be written, for example because a disk is full, are kept up to a
 * limit and written later. The lines are also written when the process exits.
 */
export function createLog({ level, format, noColor }: LogOptions): Log {
  const isTerminal = isatty(STDOUT);
  const isText = format === 'text' || (format === 'auto' && isTerminal);
  let flushUntil = Number.POSITIVE_INFINITY;
  const destination = new sonicBoom.SonicBoom({
    fd: STDOUT,
    sync: isText && isTerminal,
    ...(isText ? {} : { minLength: BUFFER_BYTES, periodicFlush: FLUSH_AFTER_MS }),
    maxLength: MAX_WAITING,
    retryEAGAIN: () => performance.now() < flushUntil,
  });
  let isClosed = false;
  const closeIfBroken = ({ code }: NodeJS.ErrnoException): void => {
    isClosed ||= code === 'EPIPE';
  };
  destination.on('error', closeIfBroken);
  let dropped = 0;
  destination.on('drop', () => {
    dropped += 1;
  });
  const reportLost = (): void => {
    if (dropped === 0) return;
    log.warn({ lines: dropped }, 'lines of the log were lost, because they could not be written');
    dropped = 0;
  };
  destination.on('drain', reportLost);
  const colour = isTerminal && !noColor;
  const write = (line: string): void => {
    if (!isClosed) destination.write(isText ? readableLine(line, colour) : line);
  };
  const log = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, { write });
  const flushNow = (): void => {
    if (isClosed) return;
    flushUntil = performance.now() + FLUSH_WITHIN_MS;
    try {
      destination.flushSync();
      reportLost();
      destination.flushSync();
    } catch (error) {
      closeIfBroken(error as NodeJS.ErrnoException);
    }
    flushUntil = Number.POSITIVE_INFINITY;
  };
  process.once('exit', flushNow);
  return Object.assign(log, { flushNow });
}
