import type { SpaceConversationWithMessages } from '@gatehouse/client';
import { type Command, Option } from 'commander';
import { id, time } from '../input/values.ts';
import { writeBody } from '../output/body.ts';
import type { Output } from '../output/output.ts';
import { cell, printable } from '../output/text.ts';
import { checked, otherForm } from '../shell/response.ts';
import { type Binding, bind } from './binding.ts';
import { printList } from './list.ts';
import { type ListOptions, pageSize, withLimit } from './options.ts';

interface ConversationFilter {
  readonly sub?: string;
  readonly link?: string;
  readonly from?: string;
  readonly to?: string;
  readonly rating?: 'up' | 'down';
  readonly unanswered?: true;
}
interface ExportOptions extends ConversationFilter {
  readonly format: 'jsonl' | 'csv';
  readonly output?: string;
}

export function addConversations(program: Command, binding: Binding): void {
  const conversations = program
    .command('conversations')
    .description('Read the conversations of a space. Each read is recorded in the audit.');
  withFilter(
    withLimit(conversations.command('list').description('List conversations, newest first.')),
  ).action(
    bind<ConversationFilter & ListOptions>(binding, async (context, _args, options) => {
      const query = { limit: pageSize(options), ...queryOf(options) };
      const gatehouse = await context.inSpace();
      const items = gatehouse.spaceConversations.list(query, { signal: context.signal });
      await printList(
        context,
        items,
        options,
        [
          ['ID', ({ id }) => id],
          ['UPDATED', ({ updatedAt }) => updatedAt],
          ['QUESTIONS', ({ questions }) => String(questions)],
          ['UNANSWERED', ({ unanswered }) => String(unanswered)],
          ['LIKED', ({ ratings }) => `${ratings.up}/${ratings.up + ratings.down}`],
          ['SUB', ({ sub }) => sub],
          ['TITLE', ({ title }) => title],
        ],
        { id: '', ratings: { up: 0, down: 0 } },
      );
    }),
  );
  conversations
    .command('show')
    .description('Print a conversation with its messages.')
    .argument('<conversation-id>', 'ID of the conversation.', id)
    .action(
      bind(binding, async (context, [id = '']) => {
        const { out, signal } = context;
        const gatehouse = await context.inSpace();
        const conversation = checked(await gatehouse.spaceConversations.get(id, {}, { signal }), {
          messages: { items: [{ role: 'user', text: '', sources: [{}] }] },
        });
        out.result(conversation, () => describe(conversation, out));
      }),
    );
  withFilter(
    conversations
      .command('export')
      .description('Export messages as JSON Lines or CSV, to a file or to standard output.'),
  )
    .addOption(
      new Option('--format <format>', 'Format of the export.')
        .choices(['jsonl', 'csv'])
        .default('jsonl'),
    )
    .option('--output <file>', 'File to write. - or omitted: standard output.')
    .action(
      bind<ExportOptions>(binding, async (context, _args, options) => {
        const { format, output } = options;
        const gatehouse = await context.inSpace();
        const query = { format, ...queryOf(options) };
        const response = await gatehouse.spaceConversations.export(query, {
          signal: context.signal,
        });
        // The page of another server would be taken for an export.
        if (!/^(application\/jsonl|text\/csv)\b/.test(response.headers.get('content-type') ?? ''))
          throw otherForm();
        await writeBody(context, response, output);
      }),
    );
}

function withFilter(command: Command): Command {
  return command
    .option('--sub <id>', 'Only conversations of this user.')
    .option('--link <id>', 'Only conversations with a question through this link.')
    .option(
      '--from <time>',
      'Earliest time of the first question, or 7d for the last seven days.',
      time,
    )
    .option('--to <time>', 'Latest time of the first question, exclusive.', time)
    .addOption(
      new Option('--rating <rating>', 'Only conversations with this feedback.').choices([
        'up',
        'down',
      ]),
    )
    .option('--unanswered', 'Only conversations with an unanswered question.');
}

function queryOf({ sub, link, from, to, rating, unanswered }: ConversationFilter) {
  const answered = unanswered ? ('false' as const) : undefined;
  return { sub, linkId: link, from, to, rating, answered };
}

function describe(
  { title, sub, messages }: SpaceConversationWithMessages,
  out: Output,
): readonly string[] {
  const lines = [out.paint('bold', cell(title)), `User: ${cell(sub)}`];
  for (const { role, text, createdAt, sources, rating, answered } of messages.items) {
    const marks = [rating && `rated ${rating}`, answered === false && 'unanswered'].filter(Boolean);
    lines.push('', out.paint('dim', [role, createdAt, ...marks].join(' · ')), printable(text));
    for (const { number, title: source, url } of sources)
      lines.push(`[${number}] ${cell(source)}${url === null ? '' : ` · ${cell(url)}`}`);
  }
  if (messages.next !== null)
    lines.push('', 'The conversation has more messages; use "conversations export".');
  return lines;
}
