import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { NewEvent } from '@gatehouse/client';
import { EXIT, Failure } from '../shell/failure.ts';

/** An event of the input with its line number, from 1. */
export interface ReadEvent {
  readonly line: number;
  readonly event: NewEvent;
}

/**
 * Reads events: one JSON object per line, or one JSON document that contains an event or a list of events.
 *
 * @param path path of a file. `undefined` or `-`: standard input.
 */
export async function* readEvents(
  path: string | undefined,
  stdin: Readable,
): AsyncGenerator<ReadEvent, void, undefined> {
  const input = path === undefined || path === '-' ? stdin : createReadStream(path);
  // Readline does not report errors of its input, such as a missing file.
  const failed = new Promise<never>((_, reject) => input.once('error', reject));
  failed.catch(() => {});
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]();
  let document: string[] | undefined;
  for (let line = 1; ; line++) {
    const next = await Promise.race([lines.next(), failed]);
    if (next.done) break;
    const text = next.value;
    if (document !== undefined) document.push(text);
    else if (text.trim() !== '') {
      const value = parse(text);
      if (value === undefined && line === 1) document = [text];
      else for (const event of [value].flat()) yield { line, event: checked(event, line) };
    }
  }
  if (document === undefined) return;
  for (const event of [parse(document.join('\n'))].flat())
    yield { line: 1, event: checked(event, 1) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The service checks the members of an event. */
function checked(value: unknown, line: number): NewEvent {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as NewEvent;
  throw new Failure({
    exitCode: EXIT.rejected,
    code: 'cli.events-invalid',
    message: `Line ${line} of the input is not a JSON object. Write one event per line, or one JSON document with a list of events.`,
  });
}
