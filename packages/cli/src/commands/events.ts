import type { NewEvent, StreamedEvent } from '@gatehouse/client';
import type { Command } from 'commander';
import { type ReadEvent, readEvents } from '../events/event-lines.ts';
import { EventSender } from '../events/event-sender.ts';
import {
  type EventFilter,
  type StreamOptions,
  streamEvents,
  withStream,
} from '../events/stream.ts';
import { parseNumbersExactly } from '../input/exact-json.ts';
import { integer, json, time } from '../input/values.ts';
import { cell, counted } from '../output/text.ts';
import type { Context } from '../shell/context.ts';
import { EXIT, Failure, wrongUse } from '../shell/failure.ts';
import { type Binding, bind } from './binding.ts';

interface SendOptions {
  readonly type?: string;
  readonly source?: string;
  readonly subject?: string;
  readonly id?: string;
  readonly time?: string;
  readonly data?: unknown;
}
interface TailOptions extends StreamOptions, EventFilter {
  readonly limit?: number;
}

const SOURCE = 'urn:gatehouse:cli';

export function addEvents(program: Command, binding: Binding): void {
  const events = program.command('events').description('Send events, and print accepted events.');
  events
    .command('send')
    .summary('Send events from options, a file or standard input.')
    .description(
      'Send one event that the options describe, or the events of a file or of standard input: one JSON object per line, or one JSON document with an event, a list of events or {"events": […]}. Events without an ID get a random one; give each event an ID if you may send it again.',
    )
    .argument('[file]', 'File with events. - or omitted: standard input.')
    .option('--type <type>', 'Send one event of this type.')
    .option('--source <uri>', `Source of the event. Default: ${SOURCE}.`)
    .option('--subject <text>', 'Subject of the event.')
    .option('--id <id>', 'ID of the event, unique within the source.')
    .option('--time <time>', 'Time of the event.', time)
    .option('--data <json>', 'Data of the event: JSON, or @file.', json)
    .action(
      bind<SendOptions>(binding, async (context, [file], options) => {
        await sendEvents(context, inputOf(context, file, options));
      }),
    );
  const tail = events
    .command('tail')
    .summary('Print events as they are accepted.')
    .description(
      'Print events as they are accepted. After a lost connection, the stream continues after the last event.',
    )
    .option('--type <type>', 'Only events of exactly this type.')
    .option('--source <uri>', 'Only events of exactly this source.')
    .option('--subject <text>', 'Only events of exactly this subject.')
    .option('--limit <n>', 'Stop after n events.', integer(1, 1_000_000_000));
  withStream(tail).action(
    bind<TailOptions>(binding, async (context, _args, options) => {
      const { type, source, subject, limit = Number.POSITIVE_INFINITY } = options;
      let count = 0;
      for await (const { item, done } of streamEvents(context, options, {
        type,
        source,
        subject,
      })) {
        context.out.exactLine(
          () => toJsonLine(item),
          () => toTextLine(item),
        );
        done();
        if (++count >= limit) break;
      }
    }),
  );
}

function toJsonLine({ text, receivedAt, cursor }: StreamedEvent): string {
  // Strings in JSON contain no raw line breaks.
  const event = text.replace(/[\r\n]+/g, ' ');
  return `{"event":${event},${JSON.stringify({ receivedAt, cursor }).slice(1)}`;
}

function toTextLine({ text, event, receivedAt }: StreamedEvent): string {
  const { type, source, subject } = event;
  const { data } = parseNumbersExactly(text) as { readonly data?: unknown };
  return [receivedAt, type, source, subject, data].map(cell).join('  ');
}

function inputOf(
  { shell, signal }: Context,
  file: string | undefined,
  options: SendOptions,
): AsyncIterable<ReadEvent> | Iterable<ReadEvent> {
  const { type, source = SOURCE, subject, id, time: at, data } = options;
  const given = Object.keys(options).map((name) => `--${name}`);
  if (given.length === 0) {
    if (file === undefined && shell.stdin.isTTY)
      throw wrongUse('Name a file, pipe events to the command, or use --type.');
    return readEvents(file, shell.stdin, signal);
  }
  if (file !== undefined) throw wrongUse(`Use either a file or ${given.join(', ')}.`);
  if (type === undefined)
    throw wrongUse(`--type is missing. An event from options (${given.join(', ')}) needs a type.`);
  const event: NewEvent = { type, source, subject, id, time: at, data };
  return [{ line: 1, event }];
}

async function sendEvents(
  context: Context,
  input: AsyncIterable<ReadEvent> | Iterable<ReadEvent>,
): Promise<void> {
  const { out, signal } = context;
  out.continuesWhenClosed = true;
  const sender = new EventSender(await context.inSpace(), signal);
  try {
    for await (const one of input) await sender.add(one);
    await sender.end();
  } catch (error) {
    await sender.stop();
    if (sender.accepted > 0)
      out.note(
        `The service accepted ${counted(sender.accepted, 'event')}, up to line ${sender.lastLine}, before the error.`,
      );
    throw error;
  }
  const { accepted, eventIds, rejected } = sender;
  out.result({ accepted, rejected, eventIds }, () => [`${counted(accepted, 'event')} accepted.`]);
  if (rejected.length === 0) return;
  throw new Failure({
    exitCode: EXIT.partial,
    code: 'cli.events-rejected',
    message: `The service rejected ${counted(rejected.length, 'event')}. Correct and resend only the rejected events.`,
    issues: rejected.map(({ line, error }) => ({ message: `line ${line}: ${error}` })),
  });
}
