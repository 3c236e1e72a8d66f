import { type Document, type Gatehouse, NotFoundError } from '@gatehouse/client';
import { type Command, Option } from 'commander';
import { findDocument } from '../input/find-document.ts';
import { cell, counted } from '../output/text.ts';
import { wrongUse } from '../shell/failure.ts';
import { checkEmpty, checked, itemsOf } from '../shell/response.ts';
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
    .description('Synchronise, list, index and delete the documents of a space.');
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
  documents
    .command('retry')
    .description(
      'Index documents again, such as failed ones, or all after an upgrade that reads files better.',
    )
    .argument('[document...]', 'IDs or keys of the documents.')
    .option('--all', 'Index all documents of the space again.')
    .action(
      bind<{ readonly all?: true }>(binding, async (context, names, { all }) => {
        const { out, signal } = context;
        const isNamed = names.length > 0;
        if (isNamed === (all === true))
          throw wrongUse('Use either IDs or keys of documents or --all.');
        const gatehouse = await context.inSpace();
        out.continuesWhenClosed = true;
        let count = 0;
        for await (const { id, key } of all
          ? itemsOf(gatehouse.documents.list({ limit: 200 }, { signal }), { id: '' })
          : findDocuments(gatehouse, names, signal)) {
          const retried = gatehouse.documents.retry(id, { force: true, signal });
          const document = await retried.catch((error: unknown) => {
            // Somebody has deleted a document of the list.
            if (all && error instanceof NotFoundError) return null;
            throw error;
          });
          if (document === null) continue;
          count += 1;
          const { state } = checked(document, { id: '' });
          out.line({ id, key, state }, () => `Indexing ${cell(key ?? id)} again.`);
        }
        if (all) out.note(`${counted(count, 'document')} will be indexed again.`);
      }),
    );
}

async function* findDocuments(
  gatehouse: Gatehouse,
  names: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Document> {
  for (const name of names) yield await findDocument(gatehouse, name, signal);
}
