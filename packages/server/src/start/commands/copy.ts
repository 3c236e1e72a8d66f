import { UniqueViolation } from '../../lib/threads/index.ts';
import { CopyDiffers, CopyRefused, type CopyStep, copy } from '../../platform/copy/index.ts';
import { EXIT, OperatorFailure } from '../../platform/installation/index.ts';
import { isPostgres, openCopyEnd } from '../../storage/copy/index.ts';
import type { Command, CommandContext } from './command.ts';

const REPORT_EVERY_MS = 2000;

/** `copy [--from <place>] --to <place>` */
export const copyCommand: Command = {
  name: 'copy',
  summary: 'Copies everything into another place: to PostgreSQL, or back to a data directory.',
  help: `  --to <place>     postgres://user@host/database, or a data directory. Empty, or one in which this copy was begun.
  --from <place>   The same of what is copied. By default, what the settings name.

Stop the service first, everywhere. The copy may be interrupted at any moment; the same command goes on with
it. In the end every table of both is counted and compared, and only then a service starts on the copy. What is
copied stays as it is.

A password in a URL can be seen by others on the machine: leave it out, and set PGPASSWORD.
See docs/guides/one-machine-to-many.md.`,
  options: { from: { type: 'string' }, to: { type: 'string' } },

  async run({ settings, options, say, report }) {
    const to = options['to'];
    if (typeof to !== 'string' || to === '')
      throw new OperatorFailure(EXIT.wrongUse, ['copy: --to is missing; see: copy --help']);
    const named = settings.databaseUrl?.reveal() ?? settings.dataDir;
    const from = typeof options['from'] === 'string' ? options['from'] : named;
    await using source = await openCopyEnd(from, { make: false, onWarning: report });
    await using target = await openCopyEnd(to, { make: true, onWarning: report });
    report(`from ${source.words} to ${target.words}`);
    const onProgress = reporter(report);
    const digests = await copy({ from: source, to: target, onProgress }).catch((error) => {
      if (error instanceof CopyRefused || error instanceof CopyDiffers)
        throw new OperatorFailure(EXIT.failed, [error.message]);
      // What a copy that was killed a moment ago wrote last may come after this one has looked.
      if (error instanceof UniqueViolation)
        throw new OperatorFailure(EXIT.tryLater, ['another copy wrote to it just now; try again']);
      throw error;
    });
    for (const [table, { rows, digest }] of digests)
      say(`${table.padEnd(26)}${String(rows).padStart(12)}  ${digest.slice(0, 16)}`);
    say('Both hold the same.');
    say(secretAdvice(from, to));
  },
};

/** A line for each table, and one now and then while a table takes long. */
function reporter(report: CommandContext['report']): (step: CopyStep) => void {
  let table = '';
  let at = Number.NEGATIVE_INFINITY;
  return (step) => {
    const what = `${step.doing} ${step.table}`;
    if (what === table && performance.now() - at < REPORT_EVERY_MS) return;
    table = what;
    at = performance.now();
    report(`${what}: ${step.rows}`);
  };
}

function secretAdvice(from: string, to: string): string {
  if (!isPostgres(to))
    return `Start the service with the same GATEHOUSE_SECRET, or put that into ${to}/keys/secret (mode 0600).`;
  return isPostgres(from)
    ? 'Start services with the same GATEHOUSE_SECRET.'
    : `Start services with GATEHOUSE_DATABASE_URL, and the GATEHOUSE_SECRET that was set before or stands in ${from}/keys/secret.`;
}
