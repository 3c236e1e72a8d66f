import { isatty } from 'node:tty';
import { type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { LogOutput } from './log-output.ts';
import { readableLine } from './readable-line.ts';
import { RepeatedLines } from './repeated-lines.ts';

const STDOUT = 1;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

type LogHook = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

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
 * output any more, the service continues without a log. The waiting lines are also written when the process exits. Repeated warnings and
 * errors are limited.
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
  const hooks = { logMethod: omitRepeated(new RepeatedLines(() => performance.now())) };
  const log = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime, hooks }, { write });
  const flushNow = (): void => output.flush();
  process.once('exit', flushNow);
  return Object.assign(log, { flushNow });
}

function omitRepeated(lines: RepeatedLines): LogHook {
  return function (args, method, level) {
    const [members, message] = args as unknown[];
    if (typeof members !== 'object' || members === null) return method.apply(this, args);
    const omitted = lines.admit(level, members, String(message));
    if (omitted === null) return;
    if (omitted === 0) return method.apply(this, args);
    method.call(this, { ...members, omitted }, String(message));
  };
}
