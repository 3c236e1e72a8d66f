const LEVELS: Readonly<Record<number, readonly [name: string, colour: string]>> = {
  10: ['TRACE', '\u001b[90m'],
  20: ['DEBUG', '\u001b[36m'],
  30: ['INFO ', '\u001b[32m'],
  40: ['WARN ', '\u001b[33m'],
  50: ['ERROR', '\u001b[31m'],
  60: ['FATAL', '\u001b[1;31m'],
};
const DIM = '\u001b[2m';
const RESET = '\u001b[0m';

/** Indentation of the lines that continue a log line, so that they cannot imitate the start of another log line. */
const INDENT = '    ';

/** Characters that move the cursor, change the terminal's state, or reorder or hide text. */
const UNSAFE =
  /[\p{Cc}\p{Cs}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const BARE = /^[\w./:{}@+*-]+$/;

/**
 * Formats a JSON line of the log for people: local time, level, message, then the other members as `name=value`, with the
 * request ID last. The stack of an error follows on indented lines. Unsafe characters are escaped as `\u{…}`, so no value can
 * add a line or control the terminal.
 *
 * @param line a JSON object as `pino` writes it. Any other text is returned with unsafe characters escaped.
 * @param colour colours the level and dims the time and the names.
 * @returns one or more lines, each with a line feed at its end.
 * @example
 * readableLine('{"level":30,"time":"2026-11-22T20:31:04.123Z","status":200,"msg":"request"}', false);
 * // '20:31:04.123 INFO  request  status=200\n'
 */
export function readableLine(line: string, colour: boolean): string {
  const members = parse(line);
  if (members === null) return `${printable(line.trimEnd())}\n`;
  const { level, time, msg, err, requestId, ...rest } = members;
  const [name, levelColour] = LEVELS[Number(level)] ?? [printable(String(level)).padEnd(5), ''];
  const dim = (text: string) => (colour ? `${DIM}${text}${RESET}` : text);
  const error = splitError(err);
  const shown = Object.entries({
    ...rest,
    ...error.members,
    ...(requestId === undefined ? {} : { requestId }),
  }).map(([key, value]) => `${dim(`${printable(key)}=`)}${valueText(value)}`);
  const head = [
    dim(localTime(time)),
    colour && levelColour !== '' ? `${levelColour}${name}${RESET}` : name,
    [typeof msg === 'string' ? printable(msg) : '', shown.join(' ')].filter(Boolean).join('  '),
  ];
  return `${[head.join(' '), ...error.lines].join('\n')}\n`;
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Separates the stack of a serialised error, which is shown on its own lines, from its other members. */
function splitError(err: unknown): { lines: string[]; members: Record<string, unknown> } {
  if (err === undefined) return { lines: [], members: {} };
  if (typeof err !== 'object' || err === null) return { lines: [], members: { err } };
  const { type, message, stack, ...members } = err as Record<string, unknown>;
  const text = typeof stack === 'string' ? stack : `${String(type)}: ${String(message)}`;
  const lines = text.split('\n').map((line) => `${INDENT}${printable(line.trimStart())}`);
  return { lines, members };
}

function localTime(time: unknown): string {
  const date = new Date(String(time));
  if (Number.isNaN(date.getTime())) return '--:--:--.---';
  const two = (part: number) => String(part).padStart(2, '0');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

function valueText(value: unknown): string {
  if (typeof value === 'string' && BARE.test(value)) return value;
  return printable(JSON.stringify(value) ?? 'undefined');
}

function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
