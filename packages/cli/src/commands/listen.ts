import type { CloudEvent } from '@gatehouse/client';
import type { Command } from 'commander';
import { type StreamOptions, streamEvents, withStream } from '../events/stream.ts';
import { collect, httpUrl, integer } from '../input/values.ts';
import { deliver } from '../listen/deliver.ts';
import { newSecret, parseSecret } from '../listen/signature.ts';
import { cell } from '../output/text.ts';
import { variable } from '../shell/access.ts';
import { type Binding, bind } from './binding.ts';

interface ListenOptions extends StreamOptions {
  readonly forward: string;
  readonly type?: readonly string[];
  readonly source?: readonly string[];
  readonly attempts: number;
  readonly timeout: number;
}

export function addListen(program: Command, binding: Binding): void {
  const listen = program
    .command('listen')
    .summary('Forward events to a URL on your machine, as webhooks.')
    .description(
      'Send each accepted event to a URL on your machine, in order, signed as a subscription signs its deliveries (Standard Webhooks). The signing secret is printed at the start; set GATEHOUSE_LISTEN_SECRET to use the same secret each time.',
    )
    .requiredOption(
      '--forward <url>',
      'URL of the receiver, such as http://localhost:3000/hook.',
      httpUrl,
    )
    .option(
      '--type <type>',
      'Only events of this type. A trailing * matches a prefix. Repeatable.',
      collect,
    )
    .option('--source <source>', 'Only events of this source. Repeatable.', collect)
    .option('--attempts <n>', 'Maximum number of attempts per event.', integer(1, 20), 5)
    .option('--timeout <seconds>', 'Timeout of an attempt.', integer(1, 300), 15);
  withStream(listen).action(
    bind<ListenOptions>(binding, async (context, _args, options) => {
      const { out, shell, signal } = context;
      const { forward } = options;
      const given = variable(shell, 'GATEHOUSE_LISTEN_SECRET');
      const secret = given ?? newSecret();
      const key = parseSecret(secret);
      const shown = given === undefined ? { secret } : {};
      out.line({ forward, ...shown }, () =>
        given === undefined
          ? `Forwarding to ${forward}. Signing secret: ${secret}`
          : `Forwarding to ${forward}, signed with GATEHOUSE_LISTEN_SECRET.`,
      );
      for await (const { item, done } of streamEvents(context, options, {})) {
        const { event } = item;
        if (!matches(event, options)) continue;
        const { id, type, source } = event;
        const outcome = await deliver(item, {
          ...{ forward, signal, secret: key },
          attempts: options.attempts,
          timeout: options.timeout * 1000,
          onRetry: (failure, delay) => out.note(`${id}: ${failure}; retrying in ${delay / 1000} s`),
        });
        out.line({ eventId: id, source, type, ...outcome }, () => {
          const { delivered, status, attempts, durationMs, failure } = outcome;
          const label = delivered
            ? out.paint('green', `${status}`.padEnd(6))
            : out.paint('red', 'FAILED');
          const tries = attempts === 1 ? '' : `, attempt ${attempts}`;
          const reason = failure === null ? '' : `: ${cell(failure)}`;
          return `${label} ${cell(type)}  ${cell(id)}  ${durationMs} ms${tries}${reason}`;
        });
        done();
      }
    }),
  );
}

function matches({ type, source }: CloudEvent, wanted: Pick<ListenOptions, 'type' | 'source'>) {
  const hasType =
    wanted.type?.some((one) =>
      one.endsWith('*') ? type.startsWith(one.slice(0, -1)) : type === one,
    ) ?? true;
  return hasType && (wanted.source?.includes(source) ?? true);
}
