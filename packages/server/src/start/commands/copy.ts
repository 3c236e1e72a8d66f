import { resolve } from 'node:path';
import { UniqueViolation } from '../../lib/threads/index.ts';
import { CopyDiffers, CopyRefused, type CopyStep, copy } from '../../platform/copy/index.ts';
import { EXIT, OperatorFailure, operatorFailureOf } from '../../platform/installation/index.ts';
import {
  type CopyEndOptions,
  isOtherUrl,
  isPostgres,
  openCopyEnd,
} from '../../storage/copy/index.ts';
import type { CopyEnd } from '../../storage/ports/copy.ts';
import type { Command, CommandContext } from './command.ts';

const REPORT_EVERY_MS = 2000;

export const copyCommand: Command = {
  name: 'copy',
  summary: 'Copies all data to PostgreSQL, or back to a data directory.',
  help: `  <target>          postgres://user@host/database or a data directory. It must be empty or contain an interrupted copy.
  --to <target>     The same, as an option.
  --from <source>   postgres://user@host/database or a data directory. Default: the database of the settings.

Stop all services first. You can interrupt the copy at any time; run the same command to resume it. At the end
all tables are compared. A service starts on the copy only if they are equal. The source is not changed.

Other users of the machine can see a password in a URL; set PGPASSWORD instead.
See docs/guides/one-machine-to-many.md.`,
  options: { from: { type: 'string' }, to: { type: 'string' } },
  positional: { option: 'to', placeholder: '<target>' },

  async run({ settings, options, report }) {
    const to = options['to'];
    if (typeof to !== 'string' || to === '')
      throw new OperatorFailure(EXIT.wrongUse, [
        'the target is missing; name a PostgreSQL database or a data directory: copy <target>',
      ]);
    const named = settings.databaseUrl?.reveal() ?? settings.dataDir;
    const from = typeof options['from'] === 'string' ? options['from'] : named;
    for (const [name, location] of Object.entries({ source: from, target: to }))
      if (isOtherUrl(location))
        throw new OperatorFailure(EXIT.wrongUse, [
          `the ${name} is not a URL of PostgreSQL; write postgres://user@host/database or the path of a data directory`,
        ]);
    const sourceName = from === named ? null : 'the source';
    await using source = await open(from, { make: false, onWarning: report }, sourceName);
    await using target = await open(to, { make: true, onWarning: report }, 'the target');
    report(`from ${source.label} to ${target.label}`);
    const onProgress = reporter(report);
    const digests = await copy({ from: source, to: target, onProgress }).catch((error) => {
      if (error instanceof CopyRefused)
        throw new OperatorFailure(EXIT.misconfigured, [error.message]);
      if (error instanceof CopyDiffers) throw new OperatorFailure(EXIT.failed, [error.message]);
      // If a copy was just killed, its last write may arrive after this copy has read the progress.
      if (error instanceof UniqueViolation)
        throw new OperatorFailure(EXIT.tryLater, [
          'another copy is writing to the target; try again',
        ]);
      throw operatorFailureOf(error, { data: from, target: to }) ?? error;
    });
    const tables = [...digests].map(([table, { rows, digest }]) => ({ table, rows, digest }));
    const row = ({ table, rows, digest }: (typeof tables)[number]) =>
      `${table.padEnd(26)}${String(rows).padStart(12)}  ${digest.slice(0, 16)}`;
    return {
      value: { tables },
      lines: [...tables.map(row), 'Source and target are identical.', secretAdvice(from, to)],
    };
  },
};

/** @param argument name of the argument with the location, for messages. `null`: the location is from the settings. */
function open(
  location: string,
  options: CopyEndOptions,
  argument: string | null,
): Promise<CopyEnd> {
  return openCopyEnd(location, options).catch((error: unknown) => {
    const failure = operatorFailureOf(error, { data: resolve(location) });
    if (failure === null || argument === null) throw failure ?? error;
    const problems = failure.problems.map((problem) =>
      problem.replace(/^GATEHOUSE_DATABASE_URL:/, `${argument}:`),
    );
    throw new OperatorFailure(failure.exitCode, problems);
  });
}

/** Returns a function that reports each table once, and then every two seconds while the table is in progress. */
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
    return `Start the service with the same GATEHOUSE_SECRET, or store it in ${to}/keys/secret (mode 0600).`;
  return isPostgres(from)
    ? 'Start services with the same GATEHOUSE_SECRET.'
    : `Start services with GATEHOUSE_DATABASE_URL, and the GATEHOUSE_SECRET that was set before or is stored in ${from}/keys/secret.`;
}
