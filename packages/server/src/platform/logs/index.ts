import { isatty } from 'node:tty';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { LogOutput } from './log-output.ts';
import { readableLine } from './readable-line.ts';

const STDOUT = 1;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

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
 * output any more, the service continues without a log. The waiting lines are also written when the process exits.
 */
export function createLog({ level, format, noColor }: LogOptions): Log {
  const isTerminal = isatty(STDOUT);
  const isText = format === 'text' || (format === 'auto' && isTerminal);
  const textMode = isTerminal ? 'waits' : 'at-once';
  const output = new LogOutput({
    fd: STDOUT,
    mode: isText ? textMode : 'buffered',
    maxWaitingBytes: MAX_WAITING_BYTES,
    onLost: (lines) =>
      log.warn({ lines }, 'lines of the log were lost, because they could not be written'),
  });
  const colour = isTerminal && !noColor;
  const write = (line: string): void => output.write(isText ? readableLine(line, colour) : line);
  const log = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, { write });
  const flushNow = (): void => output.flush();
  process.once('exit', flushNow);
  return Object.assign(log, { flushNow });
}
