import type { Readable } from 'node:stream';
import type { NewEvent } from '@gatehouse/client';
import { DuplicateMember, invalidLine, isJsonObject, parseExactly } from '../input/exact-json.ts';
import { openInput } from '../input/open-input.ts';
import { EXIT, Failure } from '../shell/failure.ts';

/** An event of the input with its line number, from 1. */
export interface ReadEvent {
  readonly line: number;
  readonly event: NewEvent;
}

const LINE_FEED = 0x0a;
/** Removes the byte order mark that some programs write at the start of a file. */
const DECODER = new TextDecoder();

/**
 * Reads events: one JSON object per line, or one JSON document that contains an event, a list of events or
 * `{"events": […]}`, as in the body of a request.
 *
 * @param path path of a file. `undefined` or `-`: standard input.
 * @param signal stops waiting for more input.
 */
export async function* readEvents(
  path: string | undefined,
  stdin: Readable,
  signal: AbortSignal,
): AsyncGenerator<ReadEvent, void, undefined> {
  let document: string[] | undefined;
  let line = 0;
  for await (const bytes of linesOf(openInput(path, stdin, signal))) {
    line++;
    if (invalidLine(bytes) !== undefined)
      throw invalid(`Line ${line} of the input is not valid UTF-8.`);
    const text = DECODER.decode(bytes);
    if (document !== undefined) document.push(text);
    else if (text.trim() !== '') {
      const value = parse(text, line);
      if (value === undefined && line === 1) document = [text];
      else for (const event of eventsOf(value, line)) yield { line, event: checked(event, line) };
    }
  }
  if (document === undefined) return;
  for (const event of eventsOf(parse(document.join('\n'), 1), 1))
    yield { line: 1, event: checked(event, 1) };
}

/** Yields the lines of a stream. `node:readline` would decode them, and end them at U+2028 too. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = [];
  for await (const chunk of input) {
    let start = 0;
    let end = chunk.indexOf(LINE_FEED);
    while (end !== -1) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      start = end + 1;
      end = chunk.indexOf(LINE_FEED, start);
    }
    parts.push(chunk.subarray(start));
  }
  const last = Buffer.concat(parts);
  if (last.length > 0) yield last;
}

/** Returns `undefined` if the text is not JSON. */
function parse(text: string, firstLine: number): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    if (error instanceof RangeError)
      throw invalid(`Line ${firstLine} of the input is nested too deeply.`);
    if (!(error instanceof DuplicateMember)) throw error;
    const line = firstLine + error.line - 1;
    throw invalid(
      `Line ${line} of the input repeats the member "${error.member}". Use each name once.`,
    );
  }
}

/** Returns the elements of a list or of `{"events": […]}`, or the value itself. */
function eventsOf(value: unknown, line: number): readonly unknown[] {
  if (Array.isArray(value)) return value;
  // An event has a type, and may have an extension attribute of this name.
  if (!isJsonObject(value) || !Array.isArray(value['events']) || value['type'] !== undefined)
    return [value];
  const other = Object.keys(value).find((name) => name !== 'events');
  // The credential in `auth` may belong to another space than the one of the command.
  if (other !== undefined)
    throw invalid(
      `Line ${line} of the input has "${other}" next to "events". Remove it; the events are sent with the credential of the command.`,
    );
  return value['events'];
}

/** The service checks the members of an event. */
function checked(value: unknown, line: number): NewEvent {
  if (isJsonObject(value)) return value as NewEvent;
  throw invalid(
    `Line ${line} of the input is not a JSON object. Write one event per line, or one JSON document with a list of events.`,
  );
}

function invalid(message: string): Failure {
  return new Failure({ exitCode: EXIT.rejected, code: 'cli.events-invalid', message });
}
