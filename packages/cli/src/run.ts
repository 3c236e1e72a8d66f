import { CommanderError } from 'commander';
import { adminArguments, runAdmin } from './commands/admin.ts';
import { Output } from './output/output.ts';
import { createProgram } from './program.ts';
import { Context } from './shell/context.ts';
import { EXIT, failureOf, interrupted } from './shell/failure.ts';
import type { GlobalOptions, Shell } from './shell/shell.ts';

/**
 * Runs the command that the arguments specify.
 *
 * @returns the exit code; see README.md.
 */
export async function run(args: readonly string[], shell: Shell): Promise<number> {
  let output: Output | undefined;
  shell.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      new Output(shell, args.includes('--json')).fail(failureOf(error));
      shell.exit(EXIT.failed);
    }
    // The reader of a pipe, such as `head`, has closed it.
    if (output?.continuesWhenClosed !== true) shell.exit(EXIT.done);
  });
  // Without the reader of its messages, a command continues, and its exit code tells the result.
  shell.stderr.on('error', () => {});
  const operatorArguments = adminArguments(args);
  if (operatorArguments !== undefined)
    try {
      return await runAdmin(operatorArguments, shell);
    } catch (error) {
      const failure = failureOf(error);
      new Output(shell, operatorArguments.includes('--json')).fail(failure);
      return failure.exitCode;
    }
  const stop = new AbortController();
  try {
    const program = createProgram({
      open: (options: GlobalOptions) => {
        stopOnSignal(shell, stop);
        output = new Output(shell, options.json === true);
        return new Context(shell, options, output, stop.signal);
      },
      write: (text) => shell.stdout.write(text),
      complain: (text) => shell.stderr.write(text),
    });
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    // The command is missing, and the help is printed.
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.wrongUse;
    const failure = failureOf(stop.signal.aborted ? stop.signal.reason : error);
    if (failure.exitCode !== EXIT.interrupted)
      new Output(shell, args.includes('--json')).fail(failure);
    return failure.exitCode;
  } finally {
    shell.removeAllListeners('SIGINT');
    shell.removeAllListeners('SIGTERM');
  }
}

/** Stops the command at a signal. Before, a signal ends the process, which cannot react while an option reads its file. */
function stopOnSignal(shell: Shell, stop: AbortController): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    shell.on(signal, () => {
      // A second signal ends the process immediately.
      shell.removeAllListeners(signal);
      stop.abort(interrupted());
    });
}
