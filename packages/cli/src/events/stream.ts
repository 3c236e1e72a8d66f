import { accessSync, constants, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { BadRequestError, type Fetch, type StreamedEvent } from '@gatehouse/client';
import type { Command } from 'commander';
import type { Context } from '../shell/context.ts';
import { EXIT, Failure } from '../shell/failure.ts';
import { checked, otherForm } from '../shell/response.ts';

export interface StreamOptions {
  readonly after?: string;
  readonly cursorFile?: string;
}
export interface EventFilter {
  readonly type?: string | undefined;
  readonly source?: string | undefined;
  readonly subject?: string | undefined;
}

/** Adds the options of `streamEvents`. */
export function withStream(command: Command): Command {
  return command
    .option('--after <cursor>', 'Start after this cursor. Default: the next accepted event.')
    .option(
      '--cursor-file <path>',
      'Store the position in a file, and continue there next time. Before the first event of a space, nothing is stored.',
    );
}

/** An event, and a function that stores its position. Events without a stored position are processed again next time. */
export interface TailedEvent {
  readonly item: StreamedEvent;
  readonly done: () => void;
}

/** Yields accepted events until the command is interrupted. */
export async function* streamEvents(
  context: Context,
  { after, cursorFile }: StreamOptions,
  filter: EventFilter,
): AsyncGenerator<TailedEvent, void, undefined> {
  const { out, signal } = context;
  // Otherwise, the first event would be processed and its position lost.
  if (cursorFile !== undefined) accessSync(dirname(cursorFile), constants.W_OK);
  let isOpen = false;
  const gatehouse = await context.inSpace({
    fetch: fetchStream,
    log: (entry) => {
      if (entry.route !== 'GET /events/stream') return;
      if (entry.event === 'response' && entry.status === 200) {
        out.note(isOpen ? 'Reconnected.' : 'Waiting for events. Press Ctrl+C to stop.');
        isOpen = true;
      } else if (entry.event === 'failure' && isOpen) out.note('Disconnected. Reconnecting …');
    },
  });
  const stored = cursorFile === undefined ? undefined : readCursor(cursorFile);
  let start = stored ?? after;
  if (cursorFile !== undefined && start === undefined) {
    start = await newestCursor(context);
    // If the command ends before the first event, the next run continues here.
    if (start !== undefined) writeCursor(cursorFile, start);
  }
  const query = { after: start, ...filter };
  try {
    for await (const item of gatehouse.events.stream(query, { signal }))
      yield {
        item: checked(item, EXAMPLE),
        done: () => cursorFile !== undefined && writeCursor(cursorFile, item.cursor),
      };
  } catch (error) {
    if (!(error instanceof BadRequestError) || !error.issues[0]?.message.startsWith('after:'))
      throw error;
    throw new Failure({
      exitCode: EXIT.rejected,
      code: error.code,
      message:
        stored === undefined
          ? '--after is not a cursor. Use "cursor" of an event that "gatehouse events tail --json" has printed.'
          : `${cursorFile} does not contain a cursor. Delete the file to start with the next accepted event.`,
      requestId: error.requestId,
    });
  }
}

const EXAMPLE = { event: { id: '', source: '', type: '' }, text: '', cursor: '' } as const;

/** Sends a request for the stream. The client would repeat one that another server answers with 204. */
const fetchStream: Fetch = async (url, init) => {
  const response = await fetch(url, init);
  if (response.ok && !/^text\/event-stream\b/.test(response.headers.get('content-type') ?? ''))
    throw otherForm();
  return response;
};

/** Returns the cursor for events that are accepted later, or `undefined` before the first event of the space. */
async function newestCursor(context: Context): Promise<string | undefined> {
  const { events } = await context.inSpace();
  const page = await events.list({ order: 'newest', limit: 1 }, { signal: context.signal });
  return checked(page, { items: [] }).resume ?? undefined;
}

function readCursor(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function writeCursor(path: string, cursor: string): void {
  const draft = `${path}.part`;
  writeFileSync(draft, `${cursor}\n`);
  renameSync(draft, path);
}
