import type { Document } from '@gatehouse/client';
import { type Command, Option } from 'commander';
import { findDocument } from '../input/find-document.ts';
import { cell } from '../output/text.ts';
import { checkEmpty } from '../shell/response.ts';
import { type Binding, bind } from './binding.ts';
import { printList } from './list.ts';
import { type ListOptions, pageSize, withLimit } from './options.ts';
import { addPush } from './push.ts';

interface DocumentListOptions extends ListOptions {
  readonly state?: Document['state'];
  readonly order: 'oldest' | 'newest';
}

export function addDocuments(program: Command, binding: Binding): void {
  const documents = program
    .command('documents')
    .description('Synchronise, list and delete the documents of a space.');
  addPush(documents, binding);
  withLimit(documents.command('list').description('List documents.'))
    .addOption(
      new Option('--state <state>', 'Only documents in this state.').choices([
        'processing',
        'ready',
        'failed',
      ]),
    )
    .addOption(
      new Option('--order <order>', 'The oldest or the newest documents first.')
        .choices(['oldest', 'newest'])
        .default('oldest'),
    )
    .action(
      bind<DocumentListOptions>(binding, async (context, _args, options) => {
        const { state, order } = options;
        const query = { limit: pageSize(options), state, order };
        const gatehouse = await context.inSpace();
        const items = gatehouse.documents.list(query, { signal: context.signal });
        await printList(context, items, options, [
          ['ID', ({ id }) => id],
          ['STATE', ({ state }) => state],
          ['BYTES', ({ bytes }) => String(bytes)],
          ['KEY', ({ key }) => key],
          ['TITLE', ({ title }) => title],
          ['FAILURE', ({ failure }) => failure],
        ]);
      }),
    );
  documents
    .command('show')
    .description('Print a document and its metadata.')
    .argument('<document>', 'ID or key of the document.')
    .action(
      bind(binding, async (context, [name = '']) => {
        const gatehouse = await context.inSpace();
        context.out.members(await findDocument(gatehouse, name, context.signal));
      }),
    );
  documents
    .command('delete')
    .description('Delete documents.')
    .argument('<document...>', 'IDs or keys of the documents.')
    .action(
      bind(binding, async (context, names) => {
        const { out, signal } = context;
        out.continuesWhenClosed = true;
        const gatehouse = await context.inSpace();
        for (const name of names) {
          const { id, key } = await findDocument(gatehouse, name, signal);
          checkEmpty(await gatehouse.documents.delete(id, { signal }));
          out.line({ id, key, deleted: true }, () => `Deleted ${cell(key ?? id)}.`);
        }
      }),
    );
}
