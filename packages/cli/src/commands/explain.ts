import type { AccessPreview, Explanation } from '@gatehouse/client';
import type { Command } from 'commander';
import { findDocument } from '../input/find-document.ts';
import { filter, id, integer, type JsonObject } from '../input/values.ts';
import type { Output } from '../output/output.ts';
import { cell, columns } from '../output/text.ts';
import { wrongUse } from '../shell/failure.ts';
import { checked } from '../shell/response.ts';
import { type Binding, bind } from './binding.ts';

interface ExplainOptions {
  readonly document?: string;
  readonly permissionFilter?: JsonObject;
  readonly sample: number;
}

export function addExplain(links: Command, binding: Binding): void {
  links
    .command('explain')
    .description(
      'Print the number of documents that a link shows and hides, with a sample, or explain why it shows or hides one document. Requires a user session.',
    )
    .argument('[link-id]', 'ID of an active link.', id)
    .option(
      '--permission-filter <json>',
      'Explain a filter instead of a link: JSON, or @file.',
      filter,
    )
    .option('--document <id>', 'ID or key of the document to explain.')
    .option('--sample <n>', 'Number of documents to print.', integer(0, 200), 10)
    .action(
      bind<ExplainOptions>(binding, async (context, [linkId], options) => {
        const { out, signal } = context;
        const { document, permissionFilter, sample } = options;
        if ((linkId === undefined) === (permissionFilter === undefined))
          throw wrongUse('Use either the ID of a link or --permission-filter.');
        const target = linkId === undefined ? { permissionFilter } : { linkId };
        const gatehouse = await context.inSpace();
        if (document === undefined) {
          const limit = Math.max(1, sample);
          const preview = checked(
            await gatehouse.accessPreview.get({ ...target, limit }, { signal }),
            { visibleCount: 0, hiddenCount: 0, visible: { items: [{ id: '' }] } },
          );
          const items = preview.visible.items.slice(0, sample);
          const shown = { ...preview, visible: { ...preview.visible, items } };
          out.result(shown, () => describePreview(shown));
          return;
        }
        const { id: documentId, title } = await findDocument(gatehouse, document, signal);
        const explanation = checked(
          await gatehouse.accessPreview.explain({ ...target, documentId }, { signal }),
          { visible: true, clauses: [{ holds: true }] },
        );
        out.result({ documentId, title, ...explanation }, () =>
          describeExplanation(explanation, title, out),
        );
      }),
    );
}

function describePreview({ visible, visibleCount, hiddenCount }: AccessPreview): string[] {
  const rows = visible.items.map(({ id, key, title, metadata }) => [
    id,
    cell(key),
    cell(title),
    cell(metadata),
  ]);
  return [
    `The link shows ${visibleCount} of ${visibleCount + hiddenCount} documents.`,
    ...(rows.length === 0 ? [] : ['', ...columns([['ID', 'KEY', 'TITLE', 'METADATA'], ...rows])]),
    ...(visibleCount > rows.length ? [`and ${visibleCount - rows.length} more`] : []),
  ];
}

function describeExplanation(
  { visible, clauses }: Explanation,
  title: string,
  out: Output,
): string[] {
  const verdict = visible ? out.paint('green', 'shows') : out.paint('red', 'hides');
  const rows = clauses.map(({ path, filter, holds, actual }) => [
    holds ? 'true' : 'false',
    cell(path),
    cell(filter),
    `document: ${cell(actual)}`,
  ]);
  return [
    `The link ${verdict} "${cell(title)}".`,
    ...(rows.length === 0
      ? ['Neither the link nor the space has a filter.']
      : ['', ...columns([['HOLDS', 'PREDICATE', 'FILTER', 'VALUE'], ...rows])]),
  ];
}
