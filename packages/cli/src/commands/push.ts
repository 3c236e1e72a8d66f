import type { Command } from 'commander';
import { integer, type JsonObject, jsonObject } from '../input/values.ts';
import { cell } from '../output/text.ts';
import { MARK } from '../push/mark.ts';
import { type PushResult, type PushState, PushTarget } from '../push/push.ts';
import { defaultPrefix, scan } from '../push/scan.ts';
import { EXIT, Failure, wrongUse } from '../shell/failure.ts';
import { type Binding, bind } from './binding.ts';

interface PushCommandOptions {
  readonly prefix?: string;
  readonly metadata: JsonObject;
  readonly language?: string;
  readonly delete?: true;
  readonly parallel: number;
  readonly dryRun?: true;
  readonly verbose?: true;
}

const COLOURS = { failed: 'red', deleted: 'yellow', uploaded: 'green' } as const;

export function addPush(documents: Command, binding: Binding): void {
  documents
    .command('push')
    .summary('Synchronise a folder with the documents of a space.')
    .description(
      'Upload the files of a folder whose content or metadata has changed. The key of a document is the prefix and the path of the file. If the command is interrupted, run it again: files that were already uploaded are skipped.',
    )
    .argument('<folder>', 'The folder. Hidden files and symbolic links are omitted.')
    .option('--prefix <text>', 'Start of the keys. Default: the name of the folder and a slash.')
    .option(
      '--metadata <json>',
      'Metadata of all documents: JSON, or @file.',
      jsonObject('{"department":"support"}'),
      {},
    )
    .option('--language <tag>', 'Language of all documents, such as de.')
    .option('--delete', 'Delete documents of earlier pushes whose files no longer exist.')
    .option('--parallel <n>', 'Maximum number of concurrent uploads.', integer(1, 16), 4)
    .option('--dry-run', 'Print the changes without making them.')
    .option('--verbose', 'Also print unchanged files.')
    .action(
      bind<PushCommandOptions>(binding, async (context, [folder = ''], options) => {
        const { out, signal } = context;
        out.continuesWhenClosed = true;
        const { prefix = defaultPrefix(folder), metadata, language, parallel } = options;
        if (MARK in metadata) throw wrongUse(`The metadata key ${MARK} is reserved.`);
        const { files, ignored, unnamed } = await scan(folder, prefix);
        const gatehouse = await context.inSpace();
        const target = await PushTarget.open({
          ...{ gatehouse, files, prefix, parallel, signal },
          description: { metadata, language },
          dryRun: options.dryRun === true,
        });
        const removed = options.delete ? target.removed().length : 0;
        const count = files.length + unnamed.length;
        if (removed > 0 && count === 0)
          throw new Failure({
            exitCode: EXIT.noInput,
            code: 'cli.empty-folder',
            message: `${folder} contains no documents, so --delete would delete all ${removed} documents of the folder. Check the path, or delete the documents with "gatehouse documents delete".`,
          });
        const counts = new Map<PushState, number>();
        const progress = out.progress(count + removed);
        const report = (result: PushResult) => {
          const { key, state, failure } = result;
          counts.set(state, (counts.get(state) ?? 0) + 1);
          if (out.json || options.verbose || state !== 'unchanged' || failure !== undefined) {
            const colour = state in COLOURS ? COLOURS[state as keyof typeof COLOURS] : 'dim';
            const reason = failure === undefined ? '' : `: ${cell(failure)}`;
            out.line(result, () => `${out.paint(colour, state.padEnd(9))}  ${cell(key)}${reason}`);
          }
          progress.advance(cell(key));
        };
        try {
          for (const path of unnamed)
            report({
              key: prefix + path,
              state: 'failed',
              failure: 'The name is not valid UTF-8. Rename it.',
            });
          await target.upload(report);
          if (options.delete && !counts.has('failed')) await target.deleteRemoved(report);
        } finally {
          progress.end();
        }
        const failed = counts.get('failed') ?? 0;
        for (const path of out.json || options.verbose ? ignored : [])
          out.line({ path, state: 'ignored' }, () => `ignored    ${cell(path)}`);
        const summary = [...counts].map(([state, count]) => `${count} ${state}`);
        if (ignored.length > 0) summary.push(`${ignored.length} ignored (format not supported)`);
        out.note(summary.join(', ') || 'The folder contains no documents.');
        if (failed === 0) return;
        const kept = removed > 0 ? ' No document was deleted.' : '';
        throw new Failure({
          exitCode: EXIT.partial,
          code: 'cli.files-failed',
          message: `${failed} of ${count} files failed.${kept} Fix them and run the command again.`,
        });
      }),
    );
}
